package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Compares elements in their native form. */
final class Elements {

    private Elements() {}

    /**
     * Counts the elements that differ. Zeros of both signs are equal.
     *
     * @param expected the right elements, finite
     * @param got what was found, of the same length
     * @param type of the elements
     * @param ulps by how many units in the last place floats may differ
     */
    static long differing(MemorySegment expected, MemorySegment got, DataType type, int ulps) {
        long first = expected.mismatch(got);
        if (first < 0) {
            return 0;
        }
        long differing = 0;
        long count = expected.byteSize() / type.bytes();
        int allowed = type.isFloating() ? ulps : 0;
        for (long i = first / type.bytes(); i < count; i++) {
            long distance = ordered(expected, i, type) - ordered(got, i, type);
            differing += Math.abs(distance) <= allowed ? 0 : 1;
        }
        return differing;
    }

    /** A number that grows by 1 from each value of the type to the next; zeros have the same. */
    private static long ordered(MemorySegment segment, long index, DataType type) {
        long at = index * type.bytes();
        long bits = switch (type.bytes()) {
            case 1 -> segment.get(ValueLayout.JAVA_BYTE, at);
            case 2 -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case 4 -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            default -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        };
        boolean negative = type.isFloating() && bits < 0;
        long least = -1L << (8 * type.bytes() - 1);
        return negative ? least - bits : bits;
    }
}
