package dev.mininccl.core;

import dev.mininccl.core.schedule.Collective;
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
    /** Collective, type and operation by their codes: storing references would cost a barrier of the collector's each. */
    private final int[] codes = new int[ENTRIES];

    void record(long sequence, Collective collective, long count, DataType type, int op) {
        int at = (int) (sequence & (ENTRIES - 1));
        SEQUENCE.setOpaque(sequences, at, 0L);
        VarHandle.releaseFence();
        counts[at] = count;
        codes[at] = collective.code() << 16 | type.code() << 8 | op;
        SEQUENCE.setRelease(sequences, at, sequence);
    }

    /** What was called, or {@code null} if it was not yet, or is forgotten. */
    String describe(long sequence) {
        int at = (int) (sequence & (ENTRIES - 1));
        if ((long) SEQUENCE.getAcquire(sequences, at) != sequence) {
            return null;
        }
        int code = codes[at];
        String text = Collective.ofCode(code >> 16)
                .describe(
                        counts[at],
                        DataType.ofCode(code >> 8 & 0xff).label(),
                        ReduceOp.ofCode(code & 0xff).label());
        VarHandle.acquireFence();
        return (long) SEQUENCE.getOpaque(sequences, at) == sequence ? text : null;
    }
}
