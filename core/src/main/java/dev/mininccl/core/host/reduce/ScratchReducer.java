package dev.mininccl.core.host.reduce;

/**
 * Reduces through arrays on the heap, in blocks that stay in the first-level cache: the first operand is loaded into
 * accumulators, the others are combined with them, and the result is stored. Plain loops over arrays are what C2 vectorises
 * without the Vector API; loops over native memory are up to ten times slower.
 *
 * <p>As a block is stored after all its operands were read, the output may be one of them. Each of the four steps is a
 * method of its own, small enough to compile well.
 */
abstract class ScratchReducer implements Reducer {

    /** What a block takes in each array, 8 KiB: two arrays and a copy of them are at home in 32 KiB of cache. */
    static final int BLOCK_BYTES = 8192;

    /** So many elements are quicker done one by one: the three copies of a block cost about 20 ns. */
    private static final int FEW = 8;

    private final int elementBytes;
    private final int block;
    private final boolean average;

    /**
     * For one kernel.
     *
     * @param kernel what is computed
     * @param block elements that the arrays hold
     */
    ScratchReducer(Kernel kernel, int block) {
        this.elementBytes = kernel.type().bytes();
        this.block = block;
        this.average = kernel.isAverage();
    }

    /** Reduces one element without a detour; no division. */
    abstract void combineOne(long a, long b, long out);

    /** Loads {@code n} elements into the accumulators. */
    abstract void load(long address, int n);

    /** Combines the first {@code n} accumulators with the elements at an address. */
    abstract void combine(long address, int n);

    /** Divides the first {@code n} accumulators by the number of ranks. */
    abstract void divide(int n);

    /** Rounds and stores the first {@code n} accumulators. */
    abstract void store(long address, int n);

    @Override
    public final void reduce(long a, long b, long out, int count) {
        if (count <= FEW) {
            for (int i = 0; i < count; i++) {
                long at = (long) i * elementBytes;
                combineOne(a + at, b + at, out + at);
            }
            return;
        }
        for (int done = 0, n; done < count; done += n) {
            n = Math.min(block, count - done);
            long at = (long) done * elementBytes;
            load(a + at, n);
            combine(b + at, n);
            store(out + at, n);
        }
    }

    @Override
    public final void reduceLast(long a, long b, long out, int count) {
        if (!average) {
            reduce(a, b, out, count);
            return;
        }
        for (int done = 0, n; done < count; done += n) {
            n = Math.min(block, count - done);
            long at = (long) done * elementBytes;
            load(a + at, n);
            combine(b + at, n);
            divide(n);
            store(out + at, n);
        }
    }

    @Override
    public final void reduceLastTwice(long a, long b, long out, long copy, int count) {
        for (int done = 0, n; done < count; done += n) {
            n = Math.min(block, count - done);
            long at = (long) done * elementBytes;
            load(a + at, n);
            combine(b + at, n);
            finish(out + at, n);
            store(copy + at, n);
        }
    }

    @Override
    public final void reduceAll(long[] in, int n, long out, int count) {
        reduceAll(in, n, out, 0, count);
    }

    /** As the public method, for the elements from {@code first} on; the addresses are those of element 0. */
    final void reduceAll(long[] in, int operands, long out, int first, int count) {
        for (int done = first, n; done < count; done += n) {
            n = Math.min(block, count - done);
            long at = (long) done * elementBytes;
            load(in[0] + at, n);
            for (int k = 1; k < operands; k++) {
                combine(in[k] + at, n);
            }
            finish(out + at, n);
        }
    }

    /** Divides elements in memory by the number of ranks, there and into a copy, which may be the same place. */
    final void divideInPlace(long address, long copy, int count) {
        for (int done = 0, n; done < count; done += n) {
            n = Math.min(block, count - done);
            long at = (long) done * elementBytes;
            load(address + at, n);
            divide(n);
            store(address + at, n);
            if (copy != address) {
                store(copy + at, n);
            }
        }
    }

    private void finish(long out, int n) {
        if (average) {
            divide(n);
        }
        store(out, n);
    }
}
