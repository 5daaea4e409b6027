package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the scalar kernels for bfloat16, which accumulate in binary32. */
final class ScalarBfloat16Reducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final int BLOCK = BLOCK_BYTES / Float.BYTES;

    private final float ranks;
    private final float[] accumulators = new float[BLOCK];
    private final short[] halves = new short[BLOCK];

    ScalarBfloat16Reducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    @Override
    void combineOne(long a, long b, long out) {
        float x = Bfloat16.toFloat(ALL.get(JAVA_SHORT_UNALIGNED, a));
        float y = Bfloat16.toFloat(ALL.get(JAVA_SHORT_UNALIGNED, b));
        ALL.set(JAVA_SHORT_UNALIGNED, out, Bfloat16.ofFloat(Arithmetic.combine(COMBINATION, x, y)));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Bfloat16.toFloat(halves[i]);
        }
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], Bfloat16.toFloat(halves[i]));
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
        for (int i = 0; i < n; i++) {
            halves[i] = Bfloat16.ofFloat(accumulators[i]);
        }
        MemorySegment.copy(halves, 0, ALL, JAVA_SHORT_UNALIGNED, address, n);
    }
}
