package dev.mininccl.cli.perf;

import dev.mininccl.core.schedule.Collective;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Option;

/** What is done with each size. */
final class WorkOptions {

    @Option(
            names = {"-d", "--datatype"},
            paramLabel = "TYPE",
            defaultValue = "float",
            converter = Types.Data.class,
            description = "int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 f8e4m3 f8e5m2,"
                    + " or all (default float)")
    private Types.DataTypes types;

    @Option(
            names = {"-o", "--op"},
            paramLabel = "OP",
            defaultValue = "sum",
            converter = Types.Operation.class,
            description = "sum prod max min avg, or all (default sum)")
    private Types.Operations operations;

    @Option(
            names = {"-r", "--root"},
            paramLabel = "RANK",
            description = "root, for collectives that have one")
    private Integer root;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            defaultValue = "20",
            description = "timed iterations a size; of small sizes each is a batch (default 20)")
    private int iterations;

    @Option(
            names = {"-w", "--warmup_iters"},
            paramLabel = "N",
            defaultValue = "5",
            description = "untimed operations a size, then more until all is compiled; 0: none at all (default 5)")
    private int warmup;

    @Option(
            names = {"-c", "--check"},
            paramLabel = "N",
            defaultValue = "1",
            description = "verified operations a size, 0: none (default 1)")
    private int checks;

    @Option(
            names = {"-z", "--blocking"},
            paramLabel = "0|1",
            defaultValue = "0",
            description = "1: time every operation alone, after a barrier (default 0)")
    private int blocking;

    @Option(
            names = {"-G", "--cudagraph"},
            paramLabel = "N",
            defaultValue = "0",
            description = "not 0: batches are launches of a captured CUDA graph; needs --memory cuda (default 0)")
    private int graphs;

    @Option(names = "--in-place", description = "measure in place only")
    private boolean inPlaceOnly;

    @Option(
            names = "--register",
            description = "buffers that the communicator allocates, reached by all ranks directly")
    private boolean registered;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the data (default random, printed)")
    private Long seed;

    @Option(names = "--corrupt", hidden = true, paramLabel = "RANK", defaultValue = "-1")
    private int corrupt;

    /** Whether operations are replayed from CUDA graphs. */
    boolean graphs() {
        return graphs != 0;
    }

    /** Checks all options together. */
    Plan plan(Collective collective, long[] sizes) {
        Usage.refuse(root != null, "-r " + root + ": must be left out, " + collective.label() + " has no root");
        Usage.range("-n", iterations, 1, 10_000_000);
        Usage.range("-w", warmup, 0, 10_000_000);
        Usage.range("-c", checks, 0, 1_000_000);
        Usage.range("-z", blocking, 0, 1);
        Usage.range("-G", graphs, 0, Integer.MAX_VALUE);
        return new Plan(
                collective,
                sizes,
                List.copyOf(types.list()),
                List.copyOf(operations.list()),
                iterations,
                warmup,
                checks,
                blocking == 1,
                !inPlaceOnly,
                true,
                registered,
                seed == null ? ThreadLocalRandom.current().nextLong() >>> 1 : seed,
                corrupt);
    }
}
