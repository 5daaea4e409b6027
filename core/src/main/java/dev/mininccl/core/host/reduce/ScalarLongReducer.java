package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the scalar kernels for integers of 64 bits. */
final class ScalarLongReducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final boolean UNSIGNED = KERNEL.isUnsigned();
    private static final long FLIP = UNSIGNED ? Long.MIN_VALUE : 0;
    private static final int BLOCK = BLOCK_BYTES / Long.BYTES;

    private final long ranks;
    private final long[] accumulators = new long[BLOCK];
    private final long[] operand = new long[BLOCK];

    ScalarLongReducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    @Override
    void combineOne(long a, long b, long out) {
        long x = ALL.get(JAVA_LONG_UNALIGNED, a);
        long y = ALL.get(JAVA_LONG_UNALIGNED, b);
        ALL.set(JAVA_LONG_UNALIGNED, out, Arithmetic.combine(COMBINATION, x, y, FLIP));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_LONG_UNALIGNED, address, accumulators, 0, n);
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_LONG_UNALIGNED, address, operand, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], operand[i], FLIP);
        }
    }

    @Override
    void divide(int n) {
        for (int i = 0; i < n; i++) {
            accumulators[i] = UNSIGNED ? Long.divideUnsigned(accumulators[i], ranks) : accumulators[i] / ranks;
        }
    }

    @Override
    void store(long address, int n) {
        MemorySegment.copy(accumulators, 0, ALL, JAVA_LONG_UNALIGNED, address, n);
    }
}
