package dev.mininccl.cli.perf;

import dev.mininccl.cli.Errors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a child's standard error. Error messages are kept, so that the first failure can be told before its echoes; what the JVM
 * says of every process is dropped; progress is shown; the rest goes on at once, or is kept too.
 */
final class ErrorPump {

    /** What the JVM says of every process, and has said of this one. */
    private static final List<String> KNOWN = List.of(
            "WARNING: Using incubator modules: jdk.incubator.vector",
            "NOTE: Picked up JDK_JAVA_OPTIONS: ",
            "Picked up JAVA_TOOL_OPTIONS: ",
            "Picked up _JAVA_OPTIONS: ");

    private static final int MOST_LINES = 1_000;

    private final PrintStream live;
    private final Progress progress;
    private final List<String> errors = new ArrayList<>();
    private final List<String> rest = new ArrayList<>();
    private final Thread thread;

    /**
     * Starts to read.
     *
     * @param name of the thread
     * @param input the child's standard error
     * @param live where lines go at once, or {@code null} to keep them
     * @param progress shows the child's progress
     */
    ErrorPump(String name, InputStream input, PrintStream live, Progress progress) {
        this.live = live;
        this.progress = progress;
        this.thread = Thread.ofPlatform().daemon().name(name).start(() -> read(input));
    }

    /** The error messages so far, without what they all begin with. */
    synchronized List<String> errors() {
        return List.copyOf(errors);
    }

    /** What else was printed, where it was not shown at once. */
    synchronized List<String> rest() {
        return List.copyOf(rest);
    }

    /** Waits until the child has closed its standard error, but not for ever. */
    void awaitEnd(Duration atMost) throws InterruptedException {
        thread.join(atMost);
    }

    private void read(InputStream input) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
            lines.lines().forEach(this::take);
        } catch (IOException | UncheckedIOException e) {
            // The child was killed; what it wrote before is there.
        }
    }

    private synchronized void take(String line) {
        if (line.startsWith(Progress.MARK)) {
            progress.show(line.substring(Progress.MARK.length()));
        } else if (line.startsWith(Errors.PREFIX)) {
            errors.add(line.substring(Errors.PREFIX.length()));
        } else if (KNOWN.stream().noneMatch(line::startsWith)) {
            if (live != null) {
                live.println(progress.erasing() + line);
            } else if (rest.size() < MOST_LINES) {
                rest.add(line);
            }
        }
    }
}
