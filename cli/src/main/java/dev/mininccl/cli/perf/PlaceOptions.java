package dev.mininccl.cli.perf;

import dev.mininccl.cli.HostAndPort;
import dev.mininccl.cli.Secret;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.hera.Launch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which ranks there are, where they run, and which of them this process is. */
final class PlaceOptions {

    private static final int MOST = 1024;
    private static final int DEFAULT_RANKS = 2;

    @Parameters(
            arity = "0..*",
            paramLabel = "COLLECTIVE | RANK WORLD MASTER",
            description =
                    "all_reduce (default), all_gather, reduce_scatter; or this rank (-1: any), how many there are, and the master's address")
    private List<String> words = new ArrayList<>();

    @Option(names = "--ranks", paramLabel = "N", description = "start N processes on this machine (default 2)")
    private Integer ranks;

    @Option(names = "--threads", description = "with --ranks: threads of one process instead")
    private boolean threads;

    @Option(names = "--rank", paramLabel = "R", description = "be rank R of --world, -1: the master chooses")
    private Integer rank;

    @Option(names = "--world", paramLabel = "N", description = "how many ranks there are in all")
    private Integer world;

    @Option(
            names = "--master",
            paramLabel = "HOST:PORT",
            description = "where the master listens; rank 0 hosts it if none does (default 127.0.0.1:9999)")
    private String master;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with the secret shared with the master (default: what MINI_NCCL_SECRET_FILE names)")
    private Path tokenFile;

    /** Set for a process that another {@code perf} has started. */
    @Option(names = "--supervised", hidden = true)
    private boolean supervised;

    boolean supervised() {
        return supervised;
    }

    /** The secret shared with the master, or {@code null}. */
    byte[] secret() {
        return Secret.read(tokenFile);
    }

    /** The collective named, or all_reduce. */
    Collective collective() {
        return namesCollective() ? Collectives.of(words.getFirst()) : Collective.ALL_REDUCE;
    }

    /**
     * Where the ranks are: as the command line says, or else the environment, or else two of this machine.
     *
     * @param withinProcess whether they must be threads of one process
     * @param environment of this process
     */
    Placement placement(boolean withinProcess, Map<String, String> environment) {
        return asTold().or(() -> Launch.fromEnvironment(environment).map(PlaceOptions::single))
                .orElseGet(() -> local(DEFAULT_RANKS, withinProcess));
    }

    private Optional<Placement> asTold() {
        List<String> form = words.subList(namesCollective() ? 1 : 0, words.size());
        if (!form.isEmpty()) {
            return Optional.of(shortForm(form));
        }
        boolean joins = rank != null || world != null || master != null;
        Usage.refuse(
                joins && ranks != null && !supervised,
                "--ranks " + ranks + ": must not be given with --rank, --world or --master");
        if (joins) {
            Usage.refuse(rank == null, "--rank: must be given with --world and --master");
            Usage.refuse(world == null, "--world: must be given with --rank");
            return Optional.of(single(rank, "--rank", world, "--world", master));
        }
        Usage.refuse(threads && ranks == null, "--threads: must be given with --ranks");
        return ranks == null ? Optional.empty() : Optional.of(local(ranks, threads));
    }

    private static Placement single(Launch launch) {
        return new Placement.Single(launch.rank(), launch.size(), new HostAndPort(launch.host(), launch.port()));
    }

    private static Placement local(int count, boolean asThreads) {
        Usage.range("--ranks", count, 1, MOST);
        return asThreads ? new Placement.Threads(count) : new Placement.Processes(count);
    }

    private Placement shortForm(List<String> form) {
        Usage.refuse(
                form.size() != 3 || !isNumber(form.get(0)) || !isNumber(form.get(1)),
                "'" + String.join(" ", form) + "': must be RANK WORLD MASTER, for example 0 2 127.0.0.1");
        Usage.refuse(
                rank != null || world != null || master != null || ranks != null,
                "--rank, --world, --master, --ranks: must not be given with RANK WORLD MASTER");
        return single(Integer.parseInt(form.get(0)), "RANK", Integer.parseInt(form.get(1)), "WORLD", form.get(2));
    }

    private static Placement single(int rank, String rankName, int world, String worldName, String master) {
        Usage.range(worldName, world, 1, Integer.MAX_VALUE);
        Usage.range(rankName, rank, -1, world - 1);
        HostAndPort at = master == null
                ? new HostAndPort("127.0.0.1", CommunicatorOptions.DEFAULT_PORT)
                : HostAndPort.parse("--master", master, CommunicatorOptions.DEFAULT_PORT);
        return new Placement.Single(rank, world, at);
    }

    /** Words that look like options but are none; only -1 is more than a mistake. */
    List<String> unknownOptions() {
        return words.stream()
                .filter(word -> word.startsWith("-") && !isNumber(word))
                .toList();
    }

    private boolean namesCollective() {
        return !words.isEmpty() && !isNumber(words.getFirst());
    }

    private static boolean isNumber(String word) {
        return word.matches("-?\\d{1,9}");
    }
}
