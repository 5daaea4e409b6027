package dev.mininccl.core.spi;

/**
 * The receiving end of a lane. For each slice: {@link #expect} it, {@link #poll} until its address comes, use it, and
 * {@link #release} it. Used by one thread at a time; no method blocks, allocates or throws on the way of a slice.
 */
public interface ReceiveLane {

    /** {@link #poll}: the expected slice is not there yet. */
    long NOTHING = 0;

    /** {@link #poll}: a slice is there, but its fingerprint or length is not the expected one. */
    long MISMATCH = -1;

    /** {@link #poll}: the lane has failed for good; {@link #failure()} tells why. */
    long FAILED = -2;

    /**
     * Says what comes next. Called once before the first {@link #poll} for a slice.
     *
     * @param destination where the slice shall be put, or 0 to leave the place to the lane
     * @param bytes the slice's length
     * @param fingerprint of the operation
     */
    void expect(long destination, int bytes, long fingerprint);

    /**
     * Looks for the expected slice.
     *
     * @return the address at which the whole slice lies (the destination, if one was given), or {@link #NOTHING},
     *     {@link #MISMATCH} or {@link #FAILED}
     */
    long poll();

    /** Gives the slice's place back to the sender. The address that {@link #poll} gave is no longer valid. */
    void release();

    /**
     * Why the lane failed.
     *
     * @return a sentence naming transport, peer and cause; {@code null} while the lane works
     */
    String failure();
}
