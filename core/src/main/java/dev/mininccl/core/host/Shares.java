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
     * @param elementBytes size of an element
     * @param segmentBytes the most bytes of a segment
     * @return elements, a multiple of 64 unless there is one segment only
     */
    public static long segment(long count, int elementBytes, long segmentBytes) {
        long most = segmentBytes / elementBytes;
        if (count <= most) {
            return count;
        }
        long segments = (count + most - 1) / most;
        return grains((count + segments - 1) / segments);
    }

    /**
     * How many channels work on a segment: each has its least share.
     *
     * @param bytes of the segment
     * @param channels there are
     * @param leastBytes the least share
     * @return at least 1
     */
    public static int channels(long bytes, int channels, long leastBytes) {
        return (int) Math.max(1, Math.min(channels, bytes / leastBytes));
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

    private static long grains(long count) {
        return (count + GRAIN - 1) / GRAIN * GRAIN;
    }
}
