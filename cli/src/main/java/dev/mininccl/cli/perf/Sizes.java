package dev.mininccl.cli.perf;

import java.util.stream.LongStream;

/** The message sizes of a run, in bytes. */
final class Sizes {

    private Sizes() {}

    /** {@code first, first + step, …} up to and including {@code last}. */
    static long[] stepping(long first, long last, long step) {
        return LongStream.iterate(first, size -> size >= 0 && size <= last, size -> size + step)
                .toArray();
    }

    /** {@code first, first * factor, …} up to and including {@code last}; 1 follows 0. */
    static long[] growing(long first, long last, long factor) {
        return LongStream.iterate(first, size -> size >= 0 && size <= last, size -> grown(size, factor))
                .toArray();
    }

    private static long grown(long size, long factor) {
        if (size == 0) {
            return 1;
        }
        return size > Long.MAX_VALUE / factor ? -1 : size * factor;
    }
}
