package dev.mininccl.cli;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.hera.HeraMaster;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs Hera's master for one job. */
@Command(
        name = "hera-master",
        description = {
            "Run the master of one job of WORLD ranks: it gives ranks, brings them together and watches over them.",
            "It ends with the job: 0 if all ranks left in order, 3 if the job was aborted."
        },
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class HeraMasterCommand implements Callable<Integer> {

    private static final int DEFAULT_PORT = 9999;
    private static final Duration LOOK = Duration.ofHours(1);

    @Parameters(paramLabel = "WORLD", description = "how many ranks")
    private int world;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS:PORT",
            defaultValue = "127.0.0.1:9999",
            description = "where to listen; any but a loopback address needs a secret (default 127.0.0.1:9999)")
    private String listen;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with the secret that all ranks must know (default: what MINI_NCCL_SECRET_FILE names)")
    private Path tokenFile;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        HeraMaster.Options options;
        try {
            HostAndPort at = HostAndPort.parse("--listen", listen, DEFAULT_PORT);
            options = HeraMaster.Options.ofWorld(world)
                    .withListen(at.host())
                    .withPort(at.port())
                    .withSecret(Secret.read(tokenFile));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (HeraMaster master = HeraMaster.start(options)) {
            HostAndPort at = new HostAndPort(master.address().getHostString(), master.port());
            out.println("# hera-master of " + world + " ranks listens at " + at);
            out.flush();
            while (!master.awaitEnd(LOOK)) {
                // The job takes as long as it takes.
            }
            Optional<AbortReason> reason = master.abortReason();
            reason.ifPresent(aborted ->
                    spec.commandLine().getErr().println(Errors.PREFIX + "the job was aborted: " + aborted.message()));
            return reason.isPresent() ? ExitStatus.FAILED : ExitStatus.RIGHT;
        }
    }
}
