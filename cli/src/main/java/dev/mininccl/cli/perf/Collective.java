package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The collectives that {@code perf} measures. All but all_reduce work on one part for each rank: a count is a part's elements, and a
 * size the bytes of the larger buffer.
 */
enum Collective {
    ALL_REDUCE("all_reduce") {
        @Override
        double busFactor(int ranks) {
            return 2.0 * (ranks - 1) / ranks;
        }

        @Override
        void run(Communicator ours, MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            ours.allReduce(in, out, count, type, op);
        }

        @Override
        void run(DeviceCommunicator ours, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            ours.allReduce(in, out, count, type, op, stream);
        }

        @Override
        void run(Peer peer, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            peer.allReduce(in, out, count, type, op, stream);
        }
    },
    ALL_GATHER("all_gather") {
        @Override
        void run(Communicator ours, MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            ours.allGather(in, out, count, type);
        }

        @Override
        void run(DeviceCommunicator ours, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            ours.allGather(in, out, count, type, stream);
        }

        @Override
        void run(Peer peer, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            peer.allGather(in, out, count, type, stream);
        }
    },
    REDUCE_SCATTER("reduce_scatter") {
        @Override
        void run(Communicator ours, MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            ours.reduceScatter(in, out, count, type, op);
        }

        @Override
        void run(DeviceCommunicator ours, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            ours.reduceScatter(in, out, count, type, op, stream);
        }

        @Override
        void run(Peer peer, long in, long out, long count, DataType type, ReduceOp op, long stream) {
            peer.reduceScatter(in, out, count, type, op, stream);
        }
    };

    private final String label;

    Collective(String label) {
        this.label = label;
    }

    /** The name on the command line. */
    String label() {
        return label;
    }

    /** Whether inputs are reduced; otherwise the reduction is of no meaning. */
    boolean reduces() {
        return this != ALL_GATHER;
    }

    /** What tables call a reduction. */
    String label(ReduceOp op) {
        return reduces() ? op.label() : "none";
    }

    /** The parts of an input. */
    int inputs(int ranks) {
        return this == REDUCE_SCATTER ? ranks : 1;
    }

    /** The parts of an output. */
    int outputs(int ranks) {
        return this == ALL_GATHER ? ranks : 1;
    }

    /** The parts of the larger of both, which is where both lie in place. */
    int parts(int ranks) {
        return Math.max(inputs(ranks), outputs(ranks));
    }

    /** Which part comes first in the input: this rank's own where it is the only one of several. */
    int firstInput(int rank) {
        return this == ALL_GATHER ? rank : 0;
    }

    /** Which part comes first in the output. */
    int firstOutput(int rank) {
        return this == REDUCE_SCATTER ? rank : 0;
    }

    /** What the algorithm bandwidth is multiplied by to be comparable with the hardware's (nccl-tests' PERFORMANCE.md). */
    double busFactor(int ranks) {
        return (double) (ranks - 1) / ranks;
    }

    /** Runs it on host memory. */
    abstract void run(Communicator ours, MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op);

    /** Enqueues it on a GPU. */
    abstract void run(DeviceCommunicator ours, long in, long out, long count, DataType type, ReduceOp op, long stream);

    /** Runs another library's; on a GPU, enqueues it. */
    abstract void run(Peer peer, long in, long out, long count, DataType type, ReduceOp op, long stream);

    static Collective of(String label) {
        for (Collective collective : values()) {
            if (collective.label.equals(label)) {
                return collective;
            }
        }
        String allowed = Arrays.stream(values()).map(Collective::label).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("collective '" + label + "': must be " + allowed);
    }
}
