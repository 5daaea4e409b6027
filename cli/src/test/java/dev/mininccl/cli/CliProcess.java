package dev.mininccl.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The command line in a process of its own, as the launcher starts it. Killed when closed. */
final class CliProcess implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Process process;
    private final Path out;
    private final Path err;

    private CliProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static CliProcess start(Path folder, String... args) {
        return start(folder, Map.of(), args);
    }

    static CliProcess start(Path folder, Map<String, String> environment, String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Many short processes on few cores: the first compiler is enough, and the module path is that of the tests.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("--module-path", modulePath()));
        command.addAll(List.of("--add-modules", "jdk.incubator.vector"));
        command.add("--enable-native-access=dev.mininccl.bindings");
        command.addAll(List.of("--module", "dev.mininccl.cli/dev.mininccl.cli.Main"));
        command.addAll(List.of(args));
        try {
            Path out = Files.createTempFile(folder, "out", ".txt");
            Path err = Files.createTempFile(folder, "err", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment()
                    .keySet()
                    .removeIf(name -> name.matches("RANK|WORLD_SIZE|MASTER_.*|.*_RANK|MINI_NCCL_.*"));
            // Choosing and warming vector kernels takes each process a while; whether they are right is core's to test.
            builder.environment().put("MINI_NCCL_REDUCER", "scalar");
            builder.environment().putAll(environment);
            return new CliProcess(builder.start(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String modulePath() {
        String path = System.getProperty("jdk.module.path");
        return path == null ? System.getProperty("java.class.path") : path;
    }

    /** Waits for the end. */
    CliProcess await() throws InterruptedException {
        if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("still running after " + LIMIT + "\n" + out() + err());
        }
        return this;
    }

    /** Waits until what was printed so far pleases. */
    CliProcess awaitOut(Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!wanted.test(out())) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                throw new AssertionError("not printed:\n" + out() + err());
            }
            Thread.sleep(20);
        }
        return this;
    }

    int status() {
        return process.exitValue();
    }

    String out() {
        return text(out);
    }

    /** Standard error without the JVM's line about incubating modules. */
    String err() {
        return text(err).replaceFirst("WARNING: Using incubator modules: jdk.incubator.vector\\R", "");
    }

    /** The processes that it has started. */
    List<ProcessHandle> children() {
        return process.children().toList();
    }

    void kill() {
        process.destroyForcibly();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
