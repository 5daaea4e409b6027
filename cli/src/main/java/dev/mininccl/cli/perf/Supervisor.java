package dev.mininccl.cli.perf;

import dev.mininccl.cli.Errors;
import dev.mininccl.cli.ExitStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Starts all ranks as processes of this machine, and ends them all when one fails. */
final class Supervisor {

    /** How long the other ranks have to notice a failure by themselves. */
    private static final long GRACE_MILLIS = 500;

    /** Wrong results end all ranks at once. A Java that cannot start ends with the same status, and alone. */
    private static final long FOLLOW_MILLIS = 5_000;

    private final PrintStream err;
    private final Progress progress;
    private final BlockingQueue<ChildRank> ended = new LinkedBlockingQueue<>();
    private final List<ChildRank> running = new ArrayList<>();

    Supervisor(PrintStream err, Progress progress) {
        this.err = err;
        this.progress = progress;
    }

    /**
     * Runs all ranks to their end.
     *
     * @param ranks how many
     * @param command the command line of each
     * @return the exit status of the run
     */
    int run(int ranks, IntFunction<List<String>> command) throws IOException, InterruptedException {
        try {
            for (int rank = 0; rank < ranks; rank++) {
                ChildRank child = ChildRank.start(command.apply(rank), rank, err, progress);
                running.add(child);
                child.whenEnded(ended::add);
            }
            return awaitAll();
        } finally {
            running.forEach(ChildRank::kill);
        }
    }

    private int awaitAll() throws InterruptedException {
        ChildRank wrong = null;
        while (!running.isEmpty()) {
            ChildRank child = wrong == null ? ended.take() : ended.poll(FOLLOW_MILLIS, TimeUnit.MILLISECONDS);
            if (child == null) {
                return failed(wrong);
            }
            running.remove(child);
            if (child.status() > ExitStatus.WRONG) {
                return failed(child);
            }
            if (child.status() == ExitStatus.WRONG) {
                wrong = child;
            }
        }
        return wrong == null ? ExitStatus.RIGHT : ExitStatus.WRONG;
    }

    /** Tells the cause: a rank that was killed comes before those that only noticed. */
    private int failed(ChildRank first) throws InterruptedException {
        ChildRank cause = first;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
        while (!running.isEmpty()) {
            ChildRank next = ended.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                break;
            }
            running.remove(next);
            if (next.wasKilled() && !cause.wasKilled()) {
                cause = next;
            }
        }
        progress.clear();
        cause.failure().forEach(line -> err.println(Errors.PREFIX + line));
        return cause.status() == ExitStatus.USAGE ? ExitStatus.USAGE : ExitStatus.FAILED;
    }
}
