package dev.mininccl.core.spi;

/**
 * The sending end of a lane: one direction to one neighbour on one channel. Slices leave in the order in which they
 * were offered. Used by one thread at a time; no method blocks, allocates or throws on the way of a slice.
 */
public interface SendLane {

    /**
     * The largest slice of {@link #offer}.
     *
     * @return bytes, a multiple of 128
     */
    int slotBytes();

    /**
     * How many slices may be under way.
     *
     * @return at least 2
     */
    int depth();

    /**
     * The largest slice of {@link #offerReference}.
     *
     * @return bytes; 0 where the peer cannot reach this rank's memory
     */
    int referenceBytes();

    /**
     * Hands over a slice. The lane may copy it or read it later: the memory must stay as it is until
     * {@link #released()} has counted the slice.
     *
     * @param address where the slice lies
     * @param bytes its length, 0 to {@link #slotBytes()}
     * @param fingerprint of the operation, not 0; the receiver compares it
     * @return false if no slot is free now
     */
    boolean offer(long address, int bytes, long fingerprint);

    /**
     * Hands over a slice that the receiver reads from this rank's memory by itself. Only where
     * {@link #referenceBytes()} is not 0. The memory must stay as it is until {@link #released()} has counted the slice.
     *
     * @param address where the slice lies
     * @param bytes its length, 1 to {@link #referenceBytes()}
     * @param fingerprint of the operation, not 0
     * @return false if no slot is free now
     */
    boolean offerReference(long address, int bytes, long fingerprint);

    /**
     * Lends the place of the next slice, so that it can be computed where it is sent from. {@link #commit} hands it over; until
     * then nothing else may be offered.
     *
     * @param bytes the slice's length, 0 to {@link #slotBytes()}
     * @return its address, or 0 if no slot is free now or the lane has no such places
     */
    default long claim(int bytes) {
        return 0;
    }

    /**
     * Hands over the slice whose place was lent.
     *
     * @param bytes as in {@link #claim}
     * @param fingerprint of the operation, not 0
     */
    default void commit(int bytes, long fingerprint) {
        throw new IllegalStateException("nothing was claimed");
    }

    /**
     * How many slices were ever handed over.
     *
     * @return a count that only grows
     */
    long offered();

    /**
     * How many slices' memory may be reused, always a prefix of those offered.
     *
     * @return a count that only grows, at most {@link #offered()}
     */
    long released();

    /**
     * Moves what can be moved without waiting. Call it while waiting for anything of this lane's link.
     *
     * @return true if something moved; false also when there was nothing to do
     */
    boolean progress();
}
