package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the scalar kernels for binary32. */
final class ScalarFloatReducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();

    private static final int BLOCK = BLOCK_BYTES / Float.BYTES;

    private final float ranks;
    private final float[] accumulators = new float[BLOCK];
    private final float[] operand = new float[BLOCK];

    ScalarFloatReducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    @Override
    void combineOne(long a, long b, long out) {
        float x = ALL.get(JAVA_FLOAT_UNALIGNED, a);
        float y = ALL.get(JAVA_FLOAT_UNALIGNED, b);
        ALL.set(JAVA_FLOAT_UNALIGNED, out, Arithmetic.combine(COMBINATION, x, y));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_FLOAT_UNALIGNED, address, accumulators, 0, n);
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_FLOAT_UNALIGNED, address, operand, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], operand[i]);
        }
    }

    @Override
    void divide(int n) {
        for (int i = 0; i < n; i++) {
            accumulators[i] = accumulators[i] / ranks;
        }
    }

    @Override
    void store(long address, int n) {
        MemorySegment.copy(accumulators, 0, ALL, JAVA_FLOAT_UNALIGNED, address, n);
    }
}
