package dev.mininccl.hera;

import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.core.spi.Deadline;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A rank in a JVM of its own, which can be killed. */
final class RankProcess implements AutoCloseable {

    private final Process process;

    private RankProcess(Process process) {
        this.process = process;
    }

    static RankProcess start(int rank, int size, int port, boolean embedMaster) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new RankProcess(new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(),
                        RankProcess.class.getName(),
                        String.valueOf(rank),
                        String.valueOf(size),
                        String.valueOf(port),
                        String.valueOf(embedMaster))
                .redirectErrorStream(true)
                .start());
    }

    /** All of this JVM's, whether its classes are on the class path, on the module path, or patched into a module. */
    private static String classPath() {
        Path tests = Path.of(URI.create(RankProcess.class
                .getResource(RankProcess.class.getSimpleName() + ".class")
                .toString()));
        for (int i = 0; i < RankProcess.class.getName().split("\\.", -1).length; i++) {
            tests = tests.getParent();
        }
        return String.join(
                File.pathSeparator,
                tests.toString(),
                System.getProperty("jdk.module.path", ""),
                System.getProperty("java.class.path"));
    }

    long pid() {
        return process.pid();
    }

    /** Waits until the rank has joined. */
    void awaitJoined() throws IOException {
        BufferedReader out = process.inputReader();
        StringBuilder said = new StringBuilder();
        for (String line = out.readLine(); !"joined".equals(line); line = out.readLine()) {
            if (line == null) {
                throw new AssertionError("the rank's process ended: " + said);
            }
            said.append(line).append('\n');
        }
    }

    /** As {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start().waitFor(5, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Joins, says so, and stays until it is killed or a minute has passed. */
    public static void main(String[] args) throws Exception {
        Request request = new Request(
                Integer.parseInt(args[0]),
                Integer.parseInt(args[1]),
                "127.0.0.1",
                Integer.parseInt(args[2]),
                null,
                Boolean.parseBoolean(args[3]),
                "",
                Duration.ofMillis(100));
        try (Bootstrap _ = new HeraBootstrapProvider().join(request, Deadline.after(Duration.ofSeconds(20)))) {
            System.out.println("joined");
            Thread.sleep(60_000);
        }
    }
}
