package dev.mininccl.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code mini-nccl}. */
@Command(name = "mini-nccl", mixinStandardHelpOptions = true, version = "mini-nccl 0.1.0-SNAPSHOT")
public final class Main implements Runnable {

    private Main() {}

    /**
     * Runs one command and ends the process with its exit status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }
}
