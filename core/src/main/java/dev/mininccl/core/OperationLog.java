package dev.mininccl.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a rank called lately, for the message of a mismatch: a ring written by the calling thread and read, seldom, by a
 * control thread. A reader that comes while an entry is overwritten sees that it is gone.
 */
final class OperationLog {

    private static final int ENTRIES = 1024;
    private static final VarHandle SEQUENCE = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] sequences = new long[ENTRIES];
    private final long[] counts = new long[ENTRIES];
    /** Type and operation by their codes: storing references would cost a barrier of the collector's each. */
    private final int[] codes = new int[ENTRIES];

    void record(long sequence, long count, DataType type, ReduceOp op) {
        int at = (int) (sequence & (ENTRIES - 1));
        SEQUENCE.setOpaque(sequences, at, 0L);
        VarHandle.releaseFence();
        counts[at] = count;
        codes[at] = type.code() << 8 | op.code();
        SEQUENCE.setRelease(sequences, at, sequence);
    }

    /** What was called, or {@code null} if it was not yet, or is forgotten. */
    String describe(long sequence) {
        int at = (int) (sequence & (ENTRIES - 1));
        if ((long) SEQUENCE.getAcquire(sequences, at) != sequence) {
            return null;
        }
        String type = DataType.ofCode(codes[at] >> 8).label();
        String text = "all_reduce of " + counts[at] + " " + type + ", "
                + ReduceOp.ofCode(codes[at] & 0xff).label();
        VarHandle.acquireFence();
        return (long) SEQUENCE.getOpaque(sequences, at) == sequence ? text : null;
    }
}
