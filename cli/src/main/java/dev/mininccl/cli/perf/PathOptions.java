package dev.mininccl.cli.perf;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.settings.Setting;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which memory, transport and engine. */
final class PathOptions {

    private static final String[] TRANSPORTS = {"auto", "local", "p2p", "shm", "verbs", "unix", "tcp"};

    @Option(
            names = "--memory",
            paramLabel = "KIND",
            defaultValue = "auto",
            description = "auto, host or cuda (default auto: host)")
    private String memory;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "auto, or one or more of shm, unix, tcp, local with commas between (default auto)")
    private String transport;

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "auto, host, or with --memory cuda fused (default auto)")
    private String engine;

    /** Refuses what is unknown or not there. */
    void check(boolean graphs) {
        Usage.choice("--memory", memory, "auto", "host", "cuda");
        Usage.choice("--engine", engine, "auto", "host", "fused");
        Usage.refuse(graphs && !onGpu(), "-G: must be left out or 0, graphs need --memory cuda");
        Usage.refuse(engine.equals(onGpu() ? "host" : "fused"), "--engine " + engine + ": not with --memory " + memory);
        if (onGpu()) {
            CudaDriver.start().ifPresent(reason -> Usage.refuse(true, "--memory cuda: must be host here: " + reason));
        }
        for (String one : transports()) {
            Usage.choice("--transport", one, TRANSPORTS);
        }
    }

    /** Whether the buffers lie on GPUs. */
    boolean onGpu() {
        return memory.equals("cuda");
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
