package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.mininccl.core.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * Template of the scalar kernels for the 16-bit floats, which accumulate in binary32. C2 turns the conversions of {@link Float} in
 * such loops into the processor's vector conversions; the Vector API of JDK 25 has none, and doing them with integer vectors is four
 * times slower.
 */
final class ScalarHalfReducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final boolean BRAIN = KERNEL.type() == DataType.BFLOAT16;
    private static final int BLOCK = BLOCK_BYTES / Float.BYTES;

    private final float ranks;
    private final float[] accumulators = new float[BLOCK];
    private final short[] halves = new short[BLOCK];

    ScalarHalfReducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    private static float widened(short bits) {
        return BRAIN ? Bfloat16.toFloat(bits) : Float.float16ToFloat(bits);
    }

    private static short narrowed(float value) {
        return BRAIN ? Bfloat16.ofFloat(value) : Float.floatToFloat16(value);
    }

    @Override
    void combineOne(long a, long b, long out) {
        float x = widened(ALL.get(JAVA_SHORT_UNALIGNED, a));
        float y = widened(ALL.get(JAVA_SHORT_UNALIGNED, b));
        ALL.set(JAVA_SHORT_UNALIGNED, out, narrowed(Arithmetic.combine(COMBINATION, x, y)));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = widened(halves[i]);
        }
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_SHORT_UNALIGNED, address, halves, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], widened(halves[i]));
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
            halves[i] = narrowed(accumulators[i]);
        }
        MemorySegment.copy(halves, 0, ALL, JAVA_SHORT_UNALIGNED, address, n);
    }
}
