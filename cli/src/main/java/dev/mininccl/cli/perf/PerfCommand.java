package dev.mininccl.cli.perf;

import dev.mininccl.cli.Main;
import dev.mininccl.cli.peer.PeerProvider;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.hera.HeraMaster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Measures and verifies a collective. */
@Command(
        name = "perf",
        description = {
            "Measure and verify a collective between ranks, with nccl-tests' flags and table.",
            "",
            "  mini-nccl perf                     two processes of this machine",
            "  mini-nccl perf --ranks 4 -e 1G     four, up to 1 GiB",
            "  mini-nccl perf 0 2 127.0.0.1       rank 0 of 2, and elsewhere: perf 1 2 127.0.0.1",
            "  mini-nccl perf -1 2 HOST:9999      any rank of 2, as the master at HOST decides",
            "",
        },
        footer = {
            "",
            "Time is the slowest rank's median over the iterations; GB are 10^9 bytes; busbw is algbw * 2(n-1)/n,",
            "of all_gather and reduce_scatter (n-1)/n; their size is that of the larger buffer, their count a rank's.",
            "Exit status: 0 right, 1 wrong results, 2 usage, 3 a rank failed.",
        },
        sortOptions = false,
        abbreviateSynopsis = true,
        mixinStandardHelpOptions = true)
public final class PerfCommand implements Callable<Integer> {

    @Mixin
    private PlaceOptions place;

    @Mixin
    private SizeOptions size;

    @Mixin
    private WorkOptions work;

    @Mixin
    private PathOptions path;

    @Mixin
    private CompareOptions compare;

    @Mixin
    private OutputOptions output;

    /** Set where the process that started this one shows its progress. */
    @Option(names = "--progress", hidden = true)
    private boolean progressMarked;

    @Spec
    private CommandSpec spec;

    private Progress progress;
    private Plan plan;
    private List<PeerProvider> peers;
    private List<Report> reports;

    /** Used by picocli. */
    public PerfCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        progress = new Progress(System.err, progressMarked ? Progress.Form.MARKED : Progress.ofThisProcess());
        Placement placement;
        byte[] secret;
        try {
            placement = checked();
            secret = place.secret();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return switch (placement) {
            case Placement.Processes processes -> processes(processes.ranks(), secret);
            case Placement.Threads threads ->
                ThreadRanks.run(threads.ranks(), path.settings(), rank -> rankRun(rank, List.of()));
            case Placement.Single single -> single(single, secret);
        };
    }

    /** All that can be wrong with the command line is found here, before anything is started. */
    private Placement checked() {
        if (!place.unknownOptions().isEmpty()) {
            throw new UnmatchedArgumentException(spec.commandLine(), place.unknownOptions());
        }
        Collective collective = place.collective();
        path.check(work.graphs());
        peers = compare.providers(path.onGpu() ? "cuda" : "host");
        plan = work.plan(collective, size.sizes());
        Placement placement = place.placement(path.withinProcess(), System.getenv());
        reports = output.reports(System.out, System.err, progress);
        Buffers.requireRoom(plan, placement);
        return placement;
    }

    /** This process starts the ranks, hosts their master, and is none itself. */
    private int processes(int ranks, byte[] secret) throws IOException, InterruptedException {
        List<String> given = spec.root().commandLine().getParseResult().originalArgs();
        try (HeraMaster master =
                HeraMaster.start(HeraMaster.Options.ofWorld(ranks).withPort(0).withSecret(secret))) {
            return new Supervisor(System.err, progress).run(ranks, rank -> {
                List<String> command = new ArrayList<>(JavaCommand.ofThisProcess());
                command.addAll(given);
                command.addAll(List.of("--supervised", "--rank", Integer.toString(rank)));
                command.addAll(List.of("--world", Integer.toString(ranks), "--master", "127.0.0.1:" + master.port()));
                if (progress.form() == Progress.Form.TERMINAL && rank == 0) {
                    command.add("--progress");
                }
                return command;
            });
        }
    }

    private int single(Placement.Single single, byte[] secret) {
        if (place.supervised()) {
            ParentWatch.start(System.in, Main::abandon);
        }
        CommunicatorOptions.Builder options = CommunicatorOptions.builder()
                .rank(single.rank())
                .size(single.world())
                .master(single.master().host(), single.master().port())
                .secret(secret)
                .embedMaster(!place.supervised());
        path.settings().forEach(options::set);
        progress.show("waiting for all " + single.world() + " ranks at " + single.master());
        try (Communicator communicator = Communicator.join(options.build())) {
            progress.clear();
            // After joining: threads that start later inherit the binding. With a GPU this one only waits.
            boolean bound = place.supervised()
                    && !path.onGpu()
                    && Binding.wanted(System.getenv())
                    && Binding.bind(communicator.rank(), communicator.size());
            return rankRun(communicator.rank(), place.supervised() ? List.of() : List.of(new Follower(System.out)))
                    .on(communicator, bound ? List.of("each rank bound to a core") : List.of());
        }
    }

    private RankRun rankRun(int rank, List<Report> ofOthers) {
        return rank == 0
                ? new RankRun(plan, this::workbench, peers, output.verbose(), reports, progress)
                : new RankRun(
                        plan,
                        this::workbench,
                        peers,
                        output.verbose(),
                        ofOthers,
                        new Progress(System.err, Progress.Form.NONE));
    }

    private Workbench workbench(Communicator communicator, Plan agreed) {
        return path.onGpu()
                ? new CudaWorkbench(communicator, agreed, path.stepwise(), work.graphs())
                : new HostWorkbench(communicator, agreed);
    }
}
