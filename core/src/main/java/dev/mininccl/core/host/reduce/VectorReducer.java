package dev.mininccl.core.host.reduce;

import static dev.mininccl.bindings.posix.NativeMemory.ALL;

import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Template of the vector kernels for the types that the processor calculates with: integers, binary32 and binary64. Averages of
 * integers are not made here, as there is no vector instruction that divides them.
 *
 * <p>Memory is addressed absolutely in one segment of one class, which keeps checks out of the loops. Two vectors a turn are as
 * fast as more. What does not fill a vector is left to the scalar kernel, which gives the same bits: masks and
 * shorter vectors are quicker there, but C2 does not always keep them from allocating.
 */
final class VectorReducer implements Reducer {

    private static final Kernel KERNEL = Specialized.kernel(MethodHandles.lookup());
    private static final VectorOperators.Binary COMBINATION = Vectors.combination(KERNEL);
    private static final VectorSpecies<Object> SPECIES = Vectors.species(KERNEL.type());
    private static final boolean AVERAGE = KERNEL.isAverage();
    private static final int SIZE = KERNEL.type().bytes();
    private static final int LANES = SPECIES.length();
    private static final int STEP = SPECIES.vectorByteSize();

    private final int ranks;
    private final ScratchReducer scalar;
    private final long[] pair = new long[2];

    VectorReducer(int ranks, ScratchReducer scalar) {
        this.ranks = ranks;
        this.scalar = scalar;
    }

    @Override
    public void reduce(long a, long b, long out, int count) {
        int i = 0;
        for (int end = count & -2 * LANES; i < end; i += 2 * LANES) {
            long at = (long) i * SIZE;
            Vector<Object> first = combined(a + at, b + at);
            Vector<Object> second = combined(a + at + STEP, b + at + STEP);
            store(first, out + at);
            store(second, out + at + STEP);
        }
        if (i <= count - LANES) {
            long at = (long) i * SIZE;
            store(combined(a + at, b + at), out + at);
            i += LANES;
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
        Vector<Object> divisor = AVERAGE ? SPECIES.broadcast(ranks) : null;
        int i = 0;
        for (; i <= count - LANES; i += LANES) {
            long at = (long) i * SIZE;
            Vector<Object> result = combined(a + at, b + at);
            if (AVERAGE) {
                result = result.lanewise(VectorOperators.DIV, divisor);
            }
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
        Vector<Object> divisor = AVERAGE ? SPECIES.broadcast(ranks) : null;
        int i = 0;
        for (int end = count & -2 * LANES; i < end; i += 2 * LANES) {
            long at = (long) i * SIZE;
            Vector<Object> first = load(in[0] + at);
            Vector<Object> second = load(in[0] + at + STEP);
            for (int k = 1; k < n; k++) {
                first = first.lanewise(COMBINATION, load(in[k] + at));
                second = second.lanewise(COMBINATION, load(in[k] + at + STEP));
            }
            if (AVERAGE) {
                first = first.lanewise(VectorOperators.DIV, divisor);
                second = second.lanewise(VectorOperators.DIV, divisor);
            }
            store(first, out + at);
            store(second, out + at + STEP);
        }
        if (i < count) {
            scalar.reduceAll(in, n, out, i, count);
        }
    }

    private static Vector<Object> combined(long a, long b) {
        return load(a).lanewise(COMBINATION, load(b));
    }

    private static Vector<Object> load(long address) {
        return SPECIES.fromMemorySegment(ALL, address, ByteOrder.nativeOrder());
    }

    private static void store(Vector<Object> vector, long address) {
        vector.intoMemorySegment(ALL, address, ByteOrder.nativeOrder());
    }
}
