package dev.mininccl.cli;

import dev.mininccl.cli.doctor.DoctorCommand;
import dev.mininccl.cli.perf.PerfCommand;
import dev.mininccl.cli.topo.TopoCommand;
import dev.mininccl.cli.tune.TuneCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The entry point of {@code mini-nccl}, and the only place that ends the process. */
@Command(
        name = "mini-nccl",
        description = "Collective communication in pure Java: measure it, run its master, check a machine.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            PerfCommand.class,
            HeraMasterCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            TopoCommand.class,
            TuneCommand.class,
            SettingsCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Main implements Runnable {

    @Spec
    private CommandSpec spec;

    private Main() {}

    /**
     * Runs one command and ends the process with its {@link ExitStatus}.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        int status;
        try {
            status = commandLine().execute(args);
        } catch (Error e) {
            // No memory, or no thread: the command line hands on exceptions only.
            Errors.report(e, new PrintWriter(System.err, true, System.err.charset()));
            status = ExitStatus.FAILED;
        }
        System.exit(status);
    }

    /** Ends a process that nobody waits for any more, without waiting for anything. */
    public static void abandon() {
        Runtime.getRuntime().halt(ExitStatus.FAILED);
    }

    /** The whole command line, ready to be executed. */
    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Main());
        // -1 stands for any rank; the command that knows it refuses other unknown options itself.
        commandLine.getSubcommands().get("perf").setUnmatchedOptionsArePositionalParams(true);
        return commandLine
                .registerConverter(int.class, Numbers::whole)
                .registerConverter(Integer.class, Numbers::whole)
                .registerConverter(Long.class, Numbers::wholeLong)
                .setOut(new PrintWriter(System.out, true, System.out.charset()))
                .setErr(new PrintWriter(System.err, true, System.err.charset()))
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(Errors::usage)
                .setExecutionExceptionHandler(Errors::failure);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }
}
