package dev.mininccl.cli.perf;

import java.io.IOException;
import java.io.InputStream;

/** Ends this process when the one that started it is gone: standard input is a pipe that the parent keeps open. */
final class ParentWatch {

    private ParentWatch() {}

    /**
     * Starts to watch.
     *
     * @param input the pipe
     * @param gone what to do at its end
     */
    static void start(InputStream input, Runnable gone) {
        Thread.ofPlatform().daemon().name("perf-parent-watch").start(() -> {
            try {
                while (input.read() >= 0) {
                    // Nothing is ever sent.
                }
            } catch (IOException e) {
                // As good as its end.
            }
            gone.run();
        });
    }
}
