package dev.mininccl.core.host;

/**
 * How a message is cut: into segments, one after the other, and each of these into shares, one a channel. The same on all ranks, and
 * in relay.cu. Segments are there for ranks whose data passes through staging memory of a bounded size.
 */
public final class Shares {

    /** Segments and shares begin at multiples of so many elements. */
    private static final int GRAIN = 64;

    /** The largest element, in bytes, times the grain: what segments of any type are multiples of. */
    private static final long UNIT = 8 * GRAIN;

    private Shares() {}

    /**
     * The size of a segment where staging memory has a given size: half of it.
     *
     * @param stagingBytes at least 1 KiB
     * @return bytes
     */
    public static long segmentBytes(long stagingBytes) {
        return stagingBytes / 2 / UNIT * UNIT;
    }

    /**
     * The elements of each segment but the last, which has what is left: as few segments as there can be, nearly equal.
     *
     * @param count elements of the message, at least 1
     * @param elementBytes size of an element; where there are parts, of those of one place in all parts
     * @param segmentBytes the most bytes of a segment
     * @return elements, a multiple of 64 unless there is one segment only, or not room for so many
     */
    public static long segment(long count, int elementBytes, long segmentBytes) {
        // A division is a tenth of what a short message takes: not where it is plain that there is one segment.
        if ((count + GRAIN) * elementBytes <= segmentBytes) {
            return count;
        }
        long most = Math.max(1, segmentBytes / elementBytes);
        if (most > GRAIN) {
            most -= most % GRAIN;
        }
        if (count <= most) {
            return count;
        }
        long segments = (count + most - 1) / most;
        return Math.min(most, grains((count + segments - 1) / segments));
    }

    /**
     * How many channels work on a segment: each has its least share, and none has nothing.
     *
     * @param bytes of the segment
     * @param count its elements, of each part where there are parts
     * @param channels there are
     * @param leastBytes the least share
     * @return at least 1
     */
    public static int channels(long bytes, long count, int channels, long leastBytes) {
        if (bytes < 2 * leastBytes) {
            return 1;
        }
        int most = (int) Math.max(1, Math.min(channels, bytes / leastBytes));
        while (most > 1 && share(count, most) * (most - 1) >= count) {
            most--;
        }
        return most;
    }

    /**
     * The elements of each share but the last, which has what is left.
     *
     * @param count elements of the segment
     * @param channels that work on it
     * @return a multiple of 64 unless there is one share only
     */
    public static long share(long count, int channels) {
        return channels == 1 ? count : grains(count / channels);
    }

    /**
     * How far the parts of a segment lie from each other in staging memory.
     *
     * @param count elements of each
     * @return elements, a multiple of 64
     */
    public static long stride(long count) {
        return grains(count);
    }

    private static long grains(long count) {
        return (count + GRAIN - 1) / GRAIN * GRAIN;
    }
}
