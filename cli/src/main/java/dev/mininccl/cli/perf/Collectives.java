package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What {@code perf} does with a collective: a count is the elements of a part, a size the bytes of the larger buffer. */
final class Collectives {
    private Collectives() {}

    /** The one that the command line names. */
    static Collective of(String label) {
        for (Collective collective : Collective.values()) {
            if (collective.label().equals(label)) {
                return collective;
            }
        }
        String allowed =
                Arrays.stream(Collective.values()).map(Collective::label).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("collective '" + label + "': must be " + allowed);
    }

    /** What tables call a reduction. */
    static String label(Collective collective, ReduceOp op) {
        return collective.reduces() ? op.label() : "none";
    }

    /** What the algorithm bandwidth is multiplied by to be comparable with the hardware's (nccl-tests' PERFORMANCE.md). */
    static double busFactor(Collective collective, int ranks) {
        double moved = (double) (ranks - 1) / ranks;
        return collective == Collective.ALL_REDUCE ? 2 * moved : moved;
    }

    /** Runs it on host memory. */
    static void run(
            Collective collective,
            Communicator ours,
            MemorySegment in,
            MemorySegment out,
            long count,
            DataType type,
            ReduceOp op) {
        switch (collective) {
            case ALL_REDUCE -> ours.allReduce(in, out, count, type, op);
            case ALL_GATHER -> ours.allGather(in, out, count, type);
            case REDUCE_SCATTER -> ours.reduceScatter(in, out, count, type, op);
        }
    }

    /** Enqueues it on a GPU. */
    static void enqueue(
            Collective collective,
            DeviceCommunicator ours,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op,
            long stream) {
        switch (collective) {
            case ALL_REDUCE -> ours.allReduce(in, out, count, type, op, stream);
            case ALL_GATHER -> ours.allGather(in, out, count, type, stream);
            case REDUCE_SCATTER -> ours.reduceScatter(in, out, count, type, op, stream);
        }
    }

    /** Runs it on a GPU. */
    static void run(
            Collective collective, DeviceCommunicator ours, long in, long out, long count, DataType type, ReduceOp op) {
        switch (collective) {
            case ALL_REDUCE -> ours.allReduce(in, out, count, type, op);
            case ALL_GATHER -> ours.allGather(in, out, count, type);
            case REDUCE_SCATTER -> ours.reduceScatter(in, out, count, type, op);
        }
    }

    /** Runs another library's; on a GPU, enqueues it. */
    static void run(
            Collective collective, Peer peer, long in, long out, long count, DataType type, ReduceOp op, long stream) {
        switch (collective) {
            case ALL_REDUCE -> peer.allReduce(in, out, count, type, op, stream);
            case ALL_GATHER -> peer.allGather(in, out, count, type, stream);
            case REDUCE_SCATTER -> peer.reduceScatter(in, out, count, type, op, stream);
        }
    }
}
