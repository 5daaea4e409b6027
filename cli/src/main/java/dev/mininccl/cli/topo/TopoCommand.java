package dev.mininccl.cli.topo;

import dev.mininccl.cli.doctor.Gpus;
import dev.mininccl.cli.doctor.SystemFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what this machine is made of. */
@Command(
        name = "topo",
        description =
                "Show this machine's processors, NUMA nodes, GPUs and network adapters, and what lies between them.",
        mixinStandardHelpOptions = true)
public final class TopoCommand implements Runnable {

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /** Used by picocli. */
    public TopoCommand() {}

    @Override
    public void run() {
        Nvml nvml = new Nvml();
        Machine machine = new MachineReader(new SystemFiles(Path.of("/")), Gpus.look(), nvml::links).read();
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? TopoJson.text(machine) + "\n" : new TopoText(machine).all());
        out.flush();
    }
}
