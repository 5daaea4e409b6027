package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * Template of the kernels for binary16, which accumulate in binary32. C2 turns the conversions of {@link Float} in such loops
 * into the processor's vector conversions; the Vector API of JDK 25 has none, and doing them with integer vectors is four times
 * slower.
 */
final class Float16Reducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final int BLOCK = BLOCK_BYTES / Float.BYTES;

    private final float ranks;
    private final float[] accumulators = new float[BLOCK];
    private final short[] halves = new short[BLOCK];

    Float16Reducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    @Override
    void combineOne(long a, long b, long out) {
        float x = Float.float16ToFloat(ALL.get(JAVA_SHORT_UNALIGNED, a));
        float y = Float.float16ToFloat(ALL.get(JAVA_SHORT_UNALIGNED, b));
        ALL.set(JAVA_SHORT_UNALIGNED, out, Float.floatToFloat16(Arithmetic.combine(COMBINATION, x, y)));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Float.float16ToFloat(halves[i]);
        }
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], Float.float16ToFloat(halves[i]));
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
            halves[i] = Float.floatToFloat16(accumulators[i]);
        }
        MemorySegment.copy(halves, 0, ALL, JAVA_SHORT_UNALIGNED, address, n);
    }
}
