package dev.mininccl.cli.perf;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How to start this program once more: the same Java, flags and modules. */
public final class JavaCommand {

    private JavaCommand() {}

    /** The command up to the main class. */
    public static List<String> ofThisProcess() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        // Why it cannot start, the JVM says on standard output, which belongs to the results.
        command.add("-XX:+DisplayVMOutputToStderr");
        String module = System.getProperty("jdk.module.main");
        String main = "dev.mininccl.cli.Main";
        if (module == null) {
            command.addAll(List.of("--class-path", System.getProperty("java.class.path"), main));
        } else {
            command.addAll(List.of("--module", module + "/" + main));
        }
        return command;
    }
}
