package dev.mininccl.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Worker} as its driver sees it. */
final class WorkerProcess implements AutoCloseable {

    static final String GONE = "gone";

    private final Process process;
    private final PrintWriter in;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private boolean gone;

    WorkerProcess() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx192m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new PrintWriter(process.outputWriter(), true);
        Thread.ofPlatform().daemon().name("chaos-ear-" + process.pid()).start(() -> {
            try (BufferedReader out = process.inputReader()) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    said.add(line);
                }
            } catch (IOException e) {
                // As the end of the stream.
            }
            said.add(GONE);
        });
    }

    void play(Game game, int port, int process) {
        in.println(game.seed() + " " + port + " " + process);
    }

    /** The next line; {@code null} if none comes in time. */
    String next(long millis) throws InterruptedException {
        String line = said.poll(Math.max(0, millis), TimeUnit.MILLISECONDS);
        gone |= GONE.equals(line);
        return line;
    }

    boolean alive() {
        return process.isAlive() && !gone;
    }

    long pid() {
        return process.pid();
    }

    void signal(String name) {
        Chaos.shell("kill -" + name + " " + pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
