package dev.mininccl.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What the ranks tell each other about the run, by all-reduce on a few host words. All ranks call each method together. */
final class Team implements AutoCloseable {

    private static final int WORDS = 8;

    private final Communicator communicator;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment words = arena.allocate(WORDS * Long.BYTES, 64);

    Team(Communicator communicator) {
        this.communicator = communicator;
    }

    int rank() {
        return communicator.rank();
    }

    int size() {
        return communicator.size();
    }

    /** Returns once all ranks have come; an all-reduce, since the communicator's own barrier is made for set-up. */
    void barrier() {
        sum(0);
    }

    /** Each value's maximum over the ranks, at most 8 values. */
    double[] max(double... values) {
        MemorySegment.copy(values, 0, words, JAVA_DOUBLE, 0, values.length);
        communicator.allReduce(words, words, values.length, DataType.FLOAT64, ReduceOp.MAX);
        MemorySegment.copy(words, JAVA_DOUBLE, 0, values, 0, values.length);
        return values;
    }

    /** The value's sum over the ranks. */
    long sum(long value) {
        return reduced(value, ReduceOp.SUM);
    }

    /** Whether all ranks gave the same value. */
    boolean same(long value) {
        return reduced(value, ReduceOp.MAX) == reduced(value, ReduceOp.MIN);
    }

    private long reduced(long value, ReduceOp op) {
        words.set(JAVA_LONG, 0, value);
        communicator.allReduce(words, words, 1, DataType.INT64, op);
        return words.get(JAVA_LONG, 0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
