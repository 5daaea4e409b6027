package dev.mininccl.core.schedule;

/**
 * Cuts a range of elements into as many nearly equal parts as there are ranks. Cuts fall on multiples of {@value #GRAIN}
 * elements where the range is long enough, so that parts stay aligned as the whole is.
 */
final class Parts {

    static final int GRAIN = 64;

    private Parts() {}

    /** The first element of a part; that of part {@code parts} is the end. */
    static long start(long elements, int parts, int part) {
        if (part == parts) {
            return elements;
        }
        long grains = (elements + GRAIN - 1) / GRAIN;
        // Not grains * part / parts: that product overflows for the largest ranges.
        long start = grains / parts * part + Math.min(part, grains % parts);
        return Math.min(elements, start * GRAIN);
    }
}
