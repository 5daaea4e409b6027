package dev.mininccl.core.schedule;

/**
 * Two-shot all-reduce (reduce-scatter, then all-gather, both direct), and its halves by themselves: the range is worked off in loops of n parts; in
 * each loop rank p gets part p from everyone, reduces it in rank order, and sends the result to everyone. Moves
 * 2 (n - 1)/n S bytes a rank in two steps.
 *
 * <p>To each peer, and from each peer, messages go in one order: scatter of loop 0, then for each loop the scatter of
 * the next loop before the gather of this one, so that a round trip is hidden behind a slice and what was just reduced
 * is still in cache when it is sent. A half by itself has one message a loop, a slice of every rank's part.
 */
public final class TwoShotSchedule {

    private final int ranks;

    private long elements;
    private long loopElements;
    private long loops;

    /** Whether both halves are run; otherwise {@link #gathersOnly} tells which. */
    private boolean both;

    private boolean gathersOnly;
    /** A half by itself: elements from one rank's part to the next's. */
    private long stride;

    /** For a number of ranks, at least 2. */
    public TwoShotSchedule(int ranks) {
        this.ranks = ranks;
    }

    /**
     * Plans an all-reduce.
     *
     * @param elements how many elements, at least 1
     * @param sliceElements how many fit a slice, at least 64
     */
    public void plan(long elements, int sliceElements) {
        both = true;
        cut(elements, sliceElements, ranks);
    }

    /**
     * Plans a half.
     *
     * @param gathers whether it is the all-gather
     * @param elements of each part, at least 1
     * @param stride elements from one part to the next
     * @param sliceElements how many fit a slice, at least 64
     */
    public void planHalf(boolean gathers, long elements, long stride, int sliceElements) {
        both = false;
        gathersOnly = gathers;
        this.stride = stride;
        cut(elements, sliceElements, 1);
    }

    private void cut(long elements, int sliceElements, int parts) {
        this.elements = elements;
        // Whole grains, so that a part of a full loop is just a slice.
        long full = (long) sliceElements / Parts.GRAIN * Parts.GRAIN * parts;
        // Equal loops rather than full ones and a nearly empty one.
        this.loops = (elements + full - 1) / full;
        long even = (elements + loops - 1) / loops;
        long grain = (long) Parts.GRAIN * parts;
        this.loopElements = Math.min(full, (even + grain - 1) / grain * grain);
        this.loops = (elements + loopElements - 1) / loopElements;
    }

    /** How many loops the range takes. */
    public long loops() {
        return loops;
    }

    /** How many messages go to each peer, and come from each: a scatter and a gather a loop, or one of them. */
    public long messages() {
        return both ? 2 * loops : loops;
    }

    /** Whether the message with an index gathers; otherwise it scatters. */
    public boolean gathers(long message) {
        return both ? message == messages() - 1 || (message > 0 && (message & 1) == 0) : gathersOnly;
    }

    /** The loop that a message belongs to. */
    public long loop(long message) {
        if (message == 0 || !both) {
            return message;
        }
        if (message == messages() - 1) {
            return loops - 1;
        }
        return (message & 1) == 1 ? (message + 1) / 2 : message / 2 - 1;
    }

    /** All-reduce: the loops whose gathers are among the first so many messages. */
    public long gathered(long messages) {
        return messages == messages() ? loops : Math.max(0, (messages - 1) / 2);
    }

    /** All-reduce: the end of the first so many loops, in elements. */
    public long end(long loops) {
        return Math.min(elements, loops * loopElements);
    }

    /** The first element of a rank's part in a loop. */
    public long start(long loop, int rank) {
        return both
                ? loop * loopElements + Parts.start(length(loop), ranks, rank)
                : rank * stride + loop * loopElements;
    }

    /** The elements of a rank's part in a loop; may be 0 in the last. */
    public int length(long loop, int rank) {
        long length = length(loop);
        if (!both) {
            return (int) length;
        }
        return (int) (Parts.start(length, ranks, rank + 1) - Parts.start(length, ranks, rank));
    }

    private long length(long loop) {
        return Math.min(loopElements, elements - loop * loopElements);
    }
}
