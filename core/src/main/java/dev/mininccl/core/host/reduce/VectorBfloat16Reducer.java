package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;

import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Template of the vector kernels for bfloat16. Elements are loaded in pairs as integers of 32 bits; a shift makes the one of a pair
 * a binary32, a mask the other, so nothing moves between lanes. {@link Bfloat16#ofFloat} tells how and why results are rounded
 * without a look at NaN.
 */
final class VectorBfloat16Reducer implements Reducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final VectorOperators.Binary COMBINATION = Vectors.combination(KERNEL);
    private static final VectorSpecies<Integer> PAIRS = IntVector.SPECIES_PREFERRED;
    private static final boolean AVERAGE = KERNEL.isAverage();
    private static final int SIZE = Short.BYTES;
    private static final int LANES = 2 * PAIRS.length();
    private static final int UPPER = 0xffff0000;

    private final float ranks;
    private final ScratchReducer scalar;
    private final long[] pair = new long[2];

    VectorBfloat16Reducer(int ranks, ScratchReducer scalar) {
        this.ranks = ranks;
        this.scalar = scalar;
    }

    @Override
    public void reduce(long a, long b, long out, int count) {
        int i = 0;
        for (; i <= count - LANES; i += LANES) {
            long at = (long) i * SIZE;
            IntVector x = load(a + at);
            IntVector y = load(b + at);
            store(packed(combined(lower(x), lower(y)), combined(upper(x), upper(y))), out + at);
        }
        if (i < count) {
            long at = (long) i * SIZE;
            scalar.reduce(a + at, b + at, out + at, count - i);
        }
    }

    @Override
    public void reduceLast(long a, long b, long out, int count) {
        if (AVERAGE) {
            pair[0] = a;
            pair[1] = b;
            reduceAll(pair, 2, out, count);
        } else {
            reduce(a, b, out, count);
        }
    }

    @Override
    public void reduceLastTwice(long a, long b, long out, long copy, int count) {
        int i = 0;
        for (; i <= count - LANES; i += LANES) {
            long at = (long) i * SIZE;
            IntVector x = load(a + at);
            IntVector y = load(b + at);
            IntVector result = finished(combined(lower(x), lower(y)), combined(upper(x), upper(y)));
            store(result, out + at);
            store(result, copy + at);
        }
        if (i < count) {
            long at = (long) i * SIZE;
            scalar.reduceLastTwice(a + at, b + at, out + at, copy + at, count - i);
        }
    }

    @Override
    public void reduceAll(long[] in, int n, long out, int count) {
        int i = 0;
        for (; i <= count - LANES; i += LANES) {
            long at = (long) i * SIZE;
            IntVector x = load(in[0] + at);
            FloatVector low = lower(x);
            FloatVector high = upper(x);
            for (int k = 1; k < n; k++) {
                IntVector y = load(in[k] + at);
                low = combined(low, lower(y));
                high = combined(high, upper(y));
            }
            store(finished(low, high), out + at);
        }
        if (i < count) {
            scalar.reduceAll(in, n, out, i, count);
        }
    }

    private static FloatVector combined(FloatVector x, FloatVector y) {
        return x.lanewise(COMBINATION, y);
    }

    /** The lower halves, as binary32. */
    private static FloatVector lower(IntVector pairs) {
        return pairs.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }

    /** The upper halves, as binary32. */
    private static FloatVector upper(IntVector pairs) {
        return pairs.and(UPPER).reinterpretAsFloats();
    }

    private IntVector finished(FloatVector lower, FloatVector upper) {
        return AVERAGE ? packed(lower.div(ranks), upper.div(ranks)) : packed(lower, upper);
    }

    private static IntVector packed(FloatVector lower, FloatVector upper) {
        return rounded(lower)
                .lanewise(VectorOperators.LSHR, Short.SIZE)
                .or(rounded(upper).and(UPPER));
    }

    /** Bits whose upper half is the nearest bfloat16. */
    private static IntVector rounded(FloatVector value) {
        IntVector bits = value.reinterpretAsInts();
        return bits.add(0x7fff)
                .add(bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1));
    }

    private static IntVector load(long address) {
        return IntVector.fromMemorySegment(PAIRS, ALL, address, ByteOrder.nativeOrder());
    }

    private static void store(IntVector pairs, long address) {
        pairs.intoMemorySegment(ALL, address, ByteOrder.nativeOrder());
    }
}
