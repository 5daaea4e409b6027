package dev.mininccl.cli;

import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.hera.HeraStatus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks a master what it knows of its job. */
@Command(
        name = "status",
        description = "Ask a master which ranks it has, when they were last heard of, and what is waited for.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class StatusCommand implements Runnable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @Parameters(paramLabel = "HOST:PORT", description = "where the master listens (port 9999 where none is given)")
    private String master;

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with the job's secret (default: what MINI_NCCL_SECRET_FILE names)")
    private Path tokenFile;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        HostAndPort at;
        byte[] secret;
        try {
            at = HostAndPort.parse("HOST:PORT", master, CommunicatorOptions.DEFAULT_PORT);
            secret = Secret.read(tokenFile);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        HeraStatus status = HeraStatus.query(at.host(), at.port(), secret, TIMEOUT);
        PrintWriter out = spec.commandLine().getOut();
        out.println((json ? status.json() : status.text()).stripTrailing());
        out.flush();
    }
}
