package dev.mininccl.cli.perf;

import dev.mininccl.core.settings.Setting;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which memory, transport and engine. */
final class PathOptions {

    private static final String[] TRANSPORTS = {"auto", "local", "p2p", "shm", "verbs", "unix", "tcp"};

    @Option(names = "--memory", paramLabel = "KIND", defaultValue = "auto", description = "auto or host (default auto)")
    private String memory;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "auto, or one or more of shm, unix, tcp, local with commas between (default auto)")
    private String transport;

    @Option(names = "--engine", paramLabel = "NAME", defaultValue = "auto", description = "auto or host (default auto)")
    private String engine;

    /** Refuses what is unknown or not there. */
    void check() {
        Usage.refuse(memory.equals("cuda"), "--memory cuda: must be auto or host, this build has no GPU support yet");
        Usage.choice("--memory", memory, "auto", "host");
        Usage.refuse(
                List.of("fused", "stepwise").contains(engine),
                "--engine " + engine + ": must be auto or host, it is a GPU's and this build has no GPU support yet");
        Usage.choice("--engine", engine, "auto", "host");
        for (String one : transports()) {
            Usage.choice("--transport", one, TRANSPORTS);
        }
    }

    /** The settings that differ from the environment's, by variable name. */
    Map<String, String> settings() {
        return transport == null ? Map.of() : Map.of(Setting.TRANSPORT.variable(), transport);
    }

    /** Whether the ranks must be threads of one process. */
    boolean withinProcess() {
        return transports().equals(List.of("local"));
    }

    private List<String> transports() {
        return transport == null ? List.of() : List.of(transport.split(",", -1));
    }
}
