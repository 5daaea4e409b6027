package dev.mininccl.cli.perf;

import dev.mininccl.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A rank in a process of its own. Its standard input stays open as long as this process lives. */
final class ChildRank {

    /** Exit statuses of killed processes are this plus the signal. */
    private static final int SIGNALS = 128;

    private static final int SIGKILL = 9;

    private final int rank;
    private final Process process;
    private final ErrorPump errors;

    private ChildRank(int rank, Process process, ErrorPump errors) {
        this.rank = rank;
        this.process = process;
        this.errors = errors;
    }

    /**
     * Starts a rank; rank 0 shows its output as it comes.
     *
     * @param command the whole command line
     * @param rank its number
     * @param err where rank 0's messages go
     * @param progress shows rank 0's progress
     */
    static ChildRank start(List<String> command, int rank, PrintStream err, Progress progress) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(new ArrayList<>(command))
                    .redirectOutput(rank == 0 ? Redirect.INHERIT : Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            // The JDK adds a page of advice about itself.
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IOException(
                    "rank " + rank + " cannot be started: " + why.strip()
                            + "; see ulimit -n, ulimit -u and free memory",
                    e);
        }
        return new ChildRank(
                rank,
                process,
                new ErrorPump("perf-errors-" + rank, process.getErrorStream(), rank == 0 ? err : null, progress));
    }

    int rank() {
        return rank;
    }

    /** Calls back, on another thread, when the process has ended. */
    void whenEnded(Consumer<ChildRank> callback) {
        var _ = process.onExit().thenAccept(ended -> callback.accept(this));
    }

    /** The exit status of a process that has ended. */
    int status() {
        return process.exitValue();
    }

    boolean wasKilled() {
        return !process.isAlive() && status() > SIGNALS;
    }

    void kill() {
        process.destroyForcibly();
    }

    /** What to tell of a rank that failed: its own message, or how it ended. */
    List<String> failure() throws InterruptedException {
        errors.awaitEnd(Duration.ofMillis(200));
        List<String> lines = new ArrayList<>();
        for (String line : errors.errors()) {
            boolean named = line.startsWith("rank ") || status() == ExitStatus.USAGE;
            lines.add(named ? line : "rank " + rank + ": " + line);
        }
        if (wasKilled()) {
            int signal = status() - SIGNALS;
            lines.add("rank " + rank + " (process " + process.pid() + ") was killed by signal " + signal
                    + (signal == SIGKILL ? ": by somebody, or by the system for want of memory (see dmesg)" : ""));
        } else if (lines.isEmpty()) {
            lines.add("rank " + rank + " (process " + process.pid() + ") ended with status " + status());
        }
        errors.rest().forEach(line -> lines.add("rank " + rank + " said: " + line));
        return lines;
    }
}
