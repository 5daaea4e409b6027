package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the scalar kernels for integers of 32 bits. */
final class ScalarIntReducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final boolean UNSIGNED = KERNEL.isUnsigned();
    private static final int FLIP = UNSIGNED ? Integer.MIN_VALUE : 0;
    private static final int BLOCK = BLOCK_BYTES / Integer.BYTES;

    /** Binary64 holds each quotient so finely that cutting it off is exact, and C2 vectorises such a division. */
    private final double ranks;

    private final int[] accumulators = new int[BLOCK];
    private final int[] operand = new int[BLOCK];

    ScalarIntReducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    @Override
    void combineOne(long a, long b, long out) {
        int x = ALL.get(JAVA_INT_UNALIGNED, a);
        int y = ALL.get(JAVA_INT_UNALIGNED, b);
        ALL.set(JAVA_INT_UNALIGNED, out, Arithmetic.combine(COMBINATION, x, y, FLIP));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_INT_UNALIGNED, address, accumulators, 0, n);
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_INT_UNALIGNED, address, operand, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], operand[i], FLIP);
        }
    }

    @Override
    void divide(int n) {
        for (int i = 0; i < n; i++) {
            accumulators[i] = UNSIGNED
                    ? (int) (long) (Integer.toUnsignedLong(accumulators[i]) / ranks)
                    : (int) (accumulators[i] / ranks);
        }
    }

    @Override
    void store(long address, int n) {
        MemorySegment.copy(accumulators, 0, ALL, JAVA_INT_UNALIGNED, address, n);
    }
}
