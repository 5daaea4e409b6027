package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.util.Arrays;
import java.util.List;

/**
 * What is measured, the same on every rank.
 *
 * @param collective which collective
 * @param sizes message sizes in bytes, of the larger buffer, rising, at least one
 * @param types element types, one table each
 * @param operations reductions, one table each
 * @param iterations timed iterations a size
 * @param warmup untimed operations a size; with 0 nothing is warmed up
 * @param checks verified operations a size
 * @param blocking whether every operation is timed alone, after a barrier
 * @param outOfPlace whether out of place is measured
 * @param inPlace whether in place is measured
 * @param registered whether the communicator allocates the buffers
 * @param seed of the data
 * @param corrupt the rank that spoils one element of its results, to prove that checks see it; -1 for none
 */
record Plan(
        Collective collective,
        long[] sizes,
        List<DataType> types,
        List<ReduceOp> operations,
        int iterations,
        int warmup,
        int checks,
        boolean blocking,
        boolean outOfPlace,
        boolean inPlace,
        boolean registered,
        long seed,
        int corrupt) {

    /** The same with another seed. */
    Plan withSeed(long other) {
        return new Plan(
                collective,
                sizes,
                types,
                operations,
                iterations,
                warmup,
                checks,
                blocking,
                outOfPlace,
                inPlace,
                registered,
                other,
                corrupt);
    }

    /** The greatest size in bytes. */
    long largest() {
        return Arrays.stream(sizes).max().orElseThrow();
    }

    /** How many types or operations there are, as one name: the only one's, or {@code all}. */
    String typeLabel() {
        return types.size() == 1 ? types.getFirst().label() : "all";
    }

    /** As {@link #typeLabel()}. */
    String operationLabel() {
        return !collective.reduces()
                ? Collectives.label(collective, operations.getFirst())
                : operations.size() == 1 ? operations.getFirst().label() : "all";
    }

    /** The modes measured, out of place first. */
    List<Boolean> modes() {
        return outOfPlace ? inPlace ? List.of(false, true) : List.of(false) : List.of(true);
    }
}
