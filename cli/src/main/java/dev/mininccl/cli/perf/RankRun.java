package dev.mininccl.cli.perf;

import dev.mininccl.cli.Errors;
import dev.mininccl.cli.ExitStatus;
import dev.mininccl.cli.Version;
import dev.mininccl.cli.peer.PeerProvider;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.NcclException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** One rank from its communicator to its exit status. */
final class RankRun {

    /** A peer's line of {@link Communicator#explain()}: the transport follows the peer. */
    private static final Pattern PEER = Pattern.compile("^  .*?: (local|p2p|shm|verbs|unix|tcp)\\b", Pattern.MULTILINE);

    /** What GPUs say of their lane. */
    private static final Map<String, String> GPU_LANES =
            Map.of("peer memory, proven by", "p2p", "shared host memory, registered", "shm");

    private static final String NO_TRANSPORT = "none";

    private final Plan plan;
    private final BiFunction<Communicator, Plan, Workbench> benches;
    private final List<PeerProvider> peers;
    private final boolean verbose;
    private final List<Report> reports;
    private final Progress progress;

    /**
     * Prepares a rank.
     *
     * @param plan the same on all ranks, but for the seed, which is rank 0's
     * @param benches makes what is measured
     * @param peers the other libraries to measure, the same on all ranks
     * @param verbose whether the header explains the choice of transports
     * @param reports what rank 0 does with the results
     * @param progress shown by rank 0
     */
    RankRun(
            Plan plan,
            BiFunction<Communicator, Plan, Workbench> benches,
            List<PeerProvider> peers,
            boolean verbose,
            List<Report> reports,
            Progress progress) {
        this.plan = plan;
        this.benches = benches;
        this.peers = peers;
        this.verbose = verbose;
        this.reports = reports;
        this.progress = progress;
    }

    /**
     * Measures. A failure of this rank is made known to the others before it is thrown.
     *
     * @param communicator this rank's
     * @param notes what the header tells beside the usual
     * @return the exit status, the same on all ranks
     */
    int on(Communicator communicator, List<String> notes) {
        try (Team team = new Team(communicator)) {
            Plan agreed = plan.withSeed(team.sum(team.rank() == 0 ? plan.seed() : 0));
            try (Workbench bench = benches.apply(communicator, agreed);
                    Rivals rivals = Rivals.join(peers, team)) {
                Run run = describe(agreed, bench, communicator, rivals, notes);
                Summary summary = new Benchmark(run, bench, rivals.all(), team, reports, progress).run();
                return summary.wrong() > 0 ? ExitStatus.WRONG : ExitStatus.RIGHT;
            }
        } catch (NcclException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            communicator.abort(Errors.message(e));
            throw e;
        }
    }

    private Run describe(Plan agreed, Workbench bench, Communicator communicator, Rivals rivals, List<String> more) {
        String explanation = bench.explanation();
        String transport = transports(explanation);
        if (transport.equals(NO_TRANSPORT)) {
            // GPUs without a lane of their own use the hosts'.
            transport = transports(communicator.explain());
        }
        List<String> notes = new ArrayList<>();
        notes.add(communicator.size() + (communicator.size() == 1 ? " rank, " : " ranks, ") + bench.memory() + " memory"
                + (agreed.registered() ? " registered with the communicator" : "") + ", transport " + transport
                + ", engine " + bench.engine());
        notes.add("iterations " + agreed.iterations() + ", warm-up " + agreed.warmup() + ", checks " + agreed.checks()
                + ", seed " + agreed.seed() + (agreed.blocking() ? ", blocking" : ""));
        notes.addAll(more);
        if (verbose) {
            notes.addAll(explanation.lines().toList());
        }
        List<Run.PeerName> names = rivals.all().stream()
                .map(rival -> new Run.PeerName(rival.name(), rival.peer().version()))
                .toList();
        names.forEach(name -> notes.add("beside " + name.name() + " " + name.version() + ", after ours at every size"));
        return new Run(
                agreed, Version.number(), communicator.size(), bench.memory(), transport, bench.engine(), notes, names);
    }

    /** The transports that an explanation names, in its order, joined by {@code +}. */
    static String transports(String explanation) {
        Set<String> names = new LinkedHashSet<>();
        GPU_LANES.forEach((words, name) -> {
            if (explanation.contains(words)) {
                names.add(name);
            }
        });
        PEER.matcher(explanation)
                .results()
                .map((MatchResult match) -> match.group(1))
                .forEach(names::add);
        return names.isEmpty() ? NO_TRANSPORT : String.join("+", names);
    }
}
