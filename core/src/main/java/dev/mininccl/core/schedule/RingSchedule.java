package dev.mininccl.core.schedule;

/**
 * Ring all-reduce: reduce-scatter, then all-gather, round the ring in 2 (n - 1) steps (Patarasuk and Yuan, 2009), and its
 * halves by themselves, in n - 1. The range is worked off in loops of n chunks, each chunk in a few slices, so that a slice goes on while the next comes.
 * Moves 2 (n - 1)/n S bytes a rank, always to one neighbour and from the other.
 *
 * <p>Messages are numbered through loops, steps and slices; message i is the i-th sent to the next rank and the i-th
 * received from the previous one.
 *
 * <p>An all-reduce leaves the complete chunk r + 1 with rank r in between. A half by itself begins, or ends, with chunk r.
 */
public final class RingSchedule {

    private final int rank;
    private final int ranks;

    private long elements;
    private long loopElements;
    private long loops;
    private int slices;
    private int steps;
    private int reductions;
    /** Of the chunk that is sent first, from the rank's own. */
    private int ahead;

    /** A half by itself: elements from one rank's part to the next's; 0 for an all-reduce. */
    private long stride;

    /** For one rank of a number of ranks, at least 2. */
    public RingSchedule(int rank, int ranks) {
        this.rank = rank;
        this.ranks = ranks;
    }

    /**
     * Plans an all-reduce.
     *
     * @param elements how many elements, at least 1
     * @param sliceElements how many fit a slice, at least 64
     * @param slices slices a chunk, at least 1
     */
    public void plan(long elements, int sliceElements, int slices) {
        steps = 2 * (ranks - 1);
        reductions = ranks - 1;
        ahead = 0;
        stride = 0;
        cut(elements, sliceElements, slices, ranks);
    }

    /**
     * Plans a half.
     *
     * @param gathers whether it is the all-gather
     * @param elements of each part, at least 1
     * @param stride elements from one part to the next, at least 1
     * @param sliceElements how many fit a slice, at least 64
     * @param slices slices a chunk, at least 1
     */
    public void planHalf(boolean gathers, long elements, long stride, int sliceElements, int slices) {
        steps = ranks - 1;
        reductions = gathers ? 0 : ranks - 1;
        ahead = gathers ? 0 : -1;
        this.stride = stride;
        cut(elements, sliceElements, slices, 1);
    }

    private void cut(long elements, int sliceElements, int slices, int parts) {
        this.elements = elements;
        this.slices = slices;
        // Whole grains, so that no rounded share of a loop is more than a slice.
        long full = (long) sliceElements / Parts.GRAIN * Parts.GRAIN * slices * parts;
        this.loops = (elements + full - 1) / full;
        this.loopElements = loops == 1 ? elements : full;
    }

    /** How many messages go to the next rank, and come from the previous. */
    public long messages() {
        return loops * steps * slices;
    }

    /** How many messages lie between a message received and the one that sends it on. */
    public int slices() {
        return slices;
    }

    /** All-reduce: the elements, from the first, that are complete after so many received messages: those of whole loops. */
    public long completed(long messages) {
        return Math.min(elements, messages / slices / steps * loopElements);
    }

    /** Whether a received message is reduced with the input; otherwise it is final and only copied. */
    public boolean reduces(long message) {
        return step(message) < reductions;
    }

    /** Whether the reduction of a received message is the last of its chunk. */
    public boolean finishes(long message) {
        return step(message) == reductions - 1;
    }

    /** Whether a sent message is this rank's own input; otherwise it was received, {@link #slices()} messages before. */
    public boolean startsChunk(long message) {
        return step(message) == 0;
    }

    /** The first element of a message sent. */
    public long sendStart(long message) {
        return start(message, sendChunk(message));
    }

    /** The elements of a message sent; may be 0. */
    public int sendLength(long message) {
        return length(message, sendChunk(message));
    }

    /** The first element of a message received. */
    public long receiveStart(long message) {
        return start(message, receiveChunk(message));
    }

    /** The elements of a message received; may be 0. */
    public int receiveLength(long message) {
        return length(message, receiveChunk(message));
    }

    private int step(long message) {
        return (int) (message / slices % steps);
    }

    // Step s of an all-reduce sends chunk rank - s and receives chunk rank - s - 1: what was received in one step is
    // sent in the next.
    private int sendChunk(long message) {
        return Math.floorMod(rank + ahead - step(message), ranks);
    }

    private int receiveChunk(long message) {
        return Math.floorMod(rank + ahead - step(message) - 1, ranks);
    }

    private long start(long message, int chunk) {
        long loopStart = message / slices / steps * loopElements;
        long loopLength = Math.min(loopElements, elements - loopStart);
        long start = stride == 0 ? Parts.start(loopLength, ranks, chunk) : chunk * stride;
        return loopStart + start + Parts.start(chunkLength(loopLength, chunk), slices, (int) (message % slices));
    }

    private int length(long message, int chunk) {
        long loopLength = Math.min(loopElements, elements - message / slices / steps * loopElements);
        long chunkLength = chunkLength(loopLength, chunk);
        int slice = (int) (message % slices);
        return (int) (Parts.start(chunkLength, slices, slice + 1) - Parts.start(chunkLength, slices, slice));
    }

    private long chunkLength(long loopLength, int chunk) {
        return stride == 0
                ? Parts.start(loopLength, ranks, chunk + 1) - Parts.start(loopLength, ranks, chunk)
                : loopLength;
    }
}
