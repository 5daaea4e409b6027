package dev.mininccl.hera;

import dev.mininccl.core.spi.AbortReason;
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
import java.util.concurrent.atomic.AtomicReference;

/** A rank in a JVM of its own, which can be killed. */
final class RankProcess implements AutoCloseable {

    private final Process process;

    private RankProcess(Process process) {
        this.process = process;
    }

    /** A rank that stays until it is killed. */
    static RankProcess start(int rank, int size, int port, boolean embedMaster) throws IOException {
        return start(rank, size, port, embedMaster, 60_000);
    }

    /** A rank that leaves in order after a time. */
    static RankProcess start(int rank, int size, int port, boolean embedMaster, int stayMillis) throws IOException {
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
                        String.valueOf(embedMaster),
                        String.valueOf(stayMillis))
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

    int exitStatus() throws InterruptedException {
        return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    /** Joins, says so, and stays for a time. Ends with 1 if the job was aborted before. */
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
        AtomicReference<AbortReason> aborted = new AtomicReference<>();
        try (Bootstrap bootstrap = new HeraBootstrapProvider().join(request, Deadline.after(Duration.ofSeconds(20)))) {
            bootstrap.listen(new Workers.Ear("") {
                @Override
                public void aborted(AbortReason reason) {
                    aborted.set(reason);
                }
            });
            System.out.println("joined");
            Thread.sleep(Integer.parseInt(args[4]));
        }
        if (aborted.get() != null) {
            throw new IllegalStateException(aborted.get().message());
        }
    }
}
