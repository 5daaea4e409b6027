package dev.mininccl.cli;

import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.settings.SettingsTable;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints every setting with its default, range and meaning. */
@Command(
        name = "settings",
        description = "Print every setting: its environment variable, default, range and meaning.",
        mixinStandardHelpOptions = true)
final class SettingsCommand implements Runnable {

    @Option(names = "--in-force", description = "print the values that the environment gives instead")
    private boolean inForce;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(inForce ? SettingsTable.inForce(Settings.fromEnvironment()) + "\n" : SettingsTable.markdown());
        out.flush();
    }
}
