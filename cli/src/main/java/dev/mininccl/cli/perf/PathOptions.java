package dev.mininccl.cli.perf;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.settings.Setting;
import java.util.HashMap;
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
            description =
                    "auto, or one or more of local, p2p, shm, verbs, unix, tcp with commas between (default auto)")
    private String transport;

    @Option(
            names = "--engine",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "auto, host, or with --memory cuda fused or stepwise (default auto)")
    private String engine;

    /** Refuses what is unknown or not there. */
    void check(boolean graphs) {
        Usage.choice("--memory", memory, "auto", "host", "cuda");
        Usage.choice("--engine", engine, "auto", "host", "fused", "stepwise");
        Usage.refuse(
                graphs && stepwise(), "-G: must be left out or 0 with --engine stepwise, which cannot be captured");
        Usage.refuse(graphs && !onGpu(), "-G: must be left out or 0, graphs need --memory cuda");
        Usage.refuse(
                onGpu() ? engine.equals("host") : List.of("fused", "stepwise").contains(engine),
                "--engine " + engine + ": not with --memory " + memory);
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

    /** Whether a GPU takes a kernel or copy a step. */
    boolean stepwise() {
        return engine.equals("stepwise");
    }

    /** The settings that differ from the environment's, by variable name. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        if (transport != null) {
            settings.put(Setting.TRANSPORT.variable(), transport);
        }
        if (stepwise()) {
            settings.put(Setting.ENGINE.variable(), engine);
        }
        return settings;
    }

    /** Whether the ranks must be threads of one process. */
    boolean withinProcess() {
        return transports().equals(List.of("local"));
    }

    private List<String> transports() {
        return transport == null ? List.of() : List.of(transport.split(",", -1));
    }
}
