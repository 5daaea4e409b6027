package dev.mininccl.core.lane;

/**
 * Where the parts of a lane of slots lie. Every part begins at a multiple of 128 bytes, two cache lines, which the
 * hardware tends to fetch together.
 *
 * <pre>
 * 0                       depth x 128   + 128
 * | header 0 | header 1 | .. | consumed | slot 0 | slot 1 | ..
 * </pre>
 *
 * @param depth how many slots, at least 2
 * @param slotBytes the payload of a slot, a multiple of 128
 */
public record LaneLayout(int depth, int slotBytes) {

    /** The unit of alignment, and the size of a header. */
    public static final int LINE_BYTES = 128;

    /** Checks both. */
    public LaneLayout {
        if (!valid(depth, slotBytes)) {
            throw new IllegalArgumentException("depth " + depth + ", slotBytes " + slotBytes
                    + ": must be at least 2, and a positive multiple of " + LINE_BYTES);
        }
    }

    /**
     * Tells whether a layout can be made.
     *
     * @param depth how many slots
     * @param slotBytes the payload of a slot
     * @return false if either is out of its range
     */
    public static boolean valid(int depth, int slotBytes) {
        return depth >= 2 && slotBytes > 0 && slotBytes % LINE_BYTES == 0;
    }

    /**
     * A layout whose slots hold at least a given number of bytes.
     *
     * @param depth how many slots
     * @param payloadBytes what a slot must hold, more than 0
     * @return the layout
     */
    public static LaneLayout holding(int depth, long payloadBytes) {
        return new LaneLayout(depth, Math.toIntExact((payloadBytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES));
    }

    /**
     * The memory that one lane takes.
     *
     * @return bytes, a multiple of 128
     */
    public long bytes() {
        return slotsOffset() + (long) depth * slotBytes;
    }

    /** Where the receiver's counter lies. */
    long consumedOffset() {
        return (long) depth * LINE_BYTES;
    }

    /** Where the first slot lies. */
    long slotsOffset() {
        return consumedOffset() + LINE_BYTES;
    }
}
