package dev.mininccl.core.schedule;

/**
 * One-shot all-reduce: every rank sends its whole input, in slices, to every peer and reduces what it has got from all.
 * Moves (n - 1) S bytes a rank in one step: for small messages, and two ranks.
 */
public final class OneShotSchedule {

    private long elements;
    private int sliceElements;

    /**
     * Plans an operation.
     *
     * @param elements how many elements, at least 1
     * @param sliceElements how many fit a slice
     */
    public void plan(long elements, int sliceElements) {
        this.elements = elements;
        this.sliceElements = sliceElements;
    }

    /** How many slices each pair exchanges. */
    public long slices() {
        return (elements + sliceElements - 1) / sliceElements;
    }

    /** The first element of a slice. */
    public long start(long slice) {
        return slice * sliceElements;
    }

    /** The elements of a slice. */
    public int length(long slice) {
        return (int) Math.min(sliceElements, elements - start(slice));
    }
}
