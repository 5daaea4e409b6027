package dev.mininccl.core.lane;

/**
 * The 128 bytes in front of a slice. The sender writes all of them, {@code published} last and with release order, and
 * never resets any. A slice of up to 32 bytes lies in the cache line of its flag, so that one transfer brings both.
 */
final class SlotHeader {

    /** The slice's number, counted from 1. Before it reads so, nothing else here is valid. */
    static final int PUBLISHED = 0;

    /** The operation's fingerprint. */
    static final int FINGERPRINT = 8;

    /** The slice's length, plus {@link #BY_REFERENCE} where its bytes lie in the sender's memory. */
    static final int BYTES = 16;

    /** How many slices of the opposite lane the sender has consumed: saves the peer a look at its {@code consumed}. */
    static final int ACKNOWLEDGED = 24;

    /** Where a short slice lies; a longer one lies in the slot. */
    static final int INLINE = 32;

    /** The longest slice that lies in the header: what is left of one cache line. A second would be a second transfer. */
    static final int INLINE_BYTES = 32;

    /** Instead of a short slice: where a slice by reference lies in the sender's address space. */
    static final int REFERENCE = INLINE;

    /** A flag above the 32 bits of the length. */
    static final long BY_REFERENCE = 1L << 32;

    private SlotHeader() {}
}
