package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/** Template of the kernels for the 8-bit floats, which accumulate in binary32 and saturate: see {@link Float8}. */
final class Float8Reducer extends ScratchReducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final int COMBINATION = KERNEL.combination();
    private static final boolean E4M3 = KERNEL.type() == DataType.FLOAT8E4M3;
    private static final int BLOCK = BLOCK_BYTES / Float.BYTES;

    private final float ranks;
    private final float[] accumulators = new float[BLOCK];
    private final byte[] elements = new byte[BLOCK];

    Float8Reducer(int ranks) {
        super(KERNEL, BLOCK);
        this.ranks = ranks;
    }

    private static float widened(byte bits) {
        return E4M3 ? Float8.e4m3ToFloat(bits) : Float8.e5m2ToFloat(bits);
    }

    private static byte narrowed(float value) {
        return E4M3 ? Float8.floatToE4m3(value) : Float8.floatToE5m2(value);
    }

    @Override
    void combineOne(long a, long b, long out) {
        float x = widened(ALL.get(JAVA_BYTE, a));
        float y = widened(ALL.get(JAVA_BYTE, b));
        ALL.set(JAVA_BYTE, out, narrowed(Arithmetic.combine(COMBINATION, x, y)));
    }

    @Override
    void load(long address, int n) {
        MemorySegment.copy(ALL, JAVA_BYTE, address, elements, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = widened(elements[i]);
        }
    }

    @Override
    void combine(long address, int n) {
        MemorySegment.copy(ALL, JAVA_BYTE, address, elements, 0, n);
        for (int i = 0; i < n; i++) {
            accumulators[i] = Arithmetic.combine(COMBINATION, accumulators[i], widened(elements[i]));
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
            elements[i] = narrowed(accumulators[i]);
        }
        MemorySegment.copy(elements, 0, ALL, JAVA_BYTE, address, n);
    }
}
