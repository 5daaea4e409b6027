package dev.mininccl.core.host.reduce;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Runs a reducer on memory of its own, so that its methods get compiled, and measures how far that has come. Small blocks and
 * pauses between the rounds leave the time to the compiler.
 */
final class Exercise implements AutoCloseable {

    private static final int BYTES = 4096;
    private static final int CALLS = 40;
    private static final long ROUND_NANOS = 5_000_000;
    private static final long PAUSE_MILLIS = 2;

    /** The methods of a reducer, by number. */
    static final int METHODS = 4;

    private final Arena arena = Arena.ofConfined();
    private final Reducer reducer;
    private final int count;
    private final long a;
    private final long b;
    private final long out;
    private final long copy;
    private final long[] operands;
    private final long[] bestNanos = new long[METHODS];

    Exercise(Kernel kernel, boolean vectors) {
        reducer = Reducers.of(kernel, 2, vectors);
        count = BYTES / kernel.type().bytes();
        MemorySegment memory = arena.allocate(4L * BYTES, 64);
        a = memory.address();
        b = a + BYTES;
        out = b + BYTES;
        copy = out + BYTES;
        operands = new long[] {a, b, a};
        // Ones in every byte are an ordinary number in each type.
        NativeMemory.fill(a, 2L * BYTES, (byte) 1);
        Arrays.fill(bestNanos, Long.MAX_VALUE);
    }

    /** Calls a method with large, small and odd counts, for some milliseconds. */
    void round(int method) {
        long begin = System.nanoTime();
        for (int call = 0; call < CALLS; call++) {
            long start = System.nanoTime();
            reduce(method, count);
            long end = System.nanoTime();
            bestNanos[method] = Math.min(bestNanos[method], end - start);
            reduce(method, count / 5);
            reduce(method, 1 + call);
            if (end - begin > ROUND_NANOS) {
                return;
            }
        }
    }

    /** The best time of a method so far, in ns per byte of result. */
    double nanosPerByte(int method) {
        return (double) bestNanos[method] / BYTES;
    }

    /** Leaves the processor to the compiler for a while; false if the thread is interrupted, and stays so. */
    static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void reduce(int method, int elements) {
        switch (method) {
            case 0 -> reducer.reduce(a, b, out, elements);
            case 1 -> reducer.reduceLast(a, b, out, elements);
            case 2 -> reducer.reduceLastTwice(a, b, out, copy, elements);
            default -> reducer.reduceAll(operands, operands.length, out, elements);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
