package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Pieces of memory that one send or receive takes together ({@code struct msghdr} with its {@code struct iovec}s). Laid out once
 * and patched for each call, without allocation. For one thread at a time.
 */
public final class IoVector {
    private static final long MSGHDR_BYTES = 56;
    private static final long MSG_IOV = 16;
    private static final long MSG_IOVLEN = 24;
    private static final long IOVEC_BYTES = 16;
    private static final long IOV_LEN = 8;
    /** {@code UIO_MAXIOV}. */
    private static final int MOST_PIECES = 1024;

    private final MemorySegment message;

    /**
     * Allocates a vector of empty pieces.
     *
     * @param pieces how many, 1 to 1024
     */
    public IoVector(int pieces) {
        if (pieces < 1 || pieces > MOST_PIECES) {
            throw new IllegalArgumentException("pieces " + pieces + " is not 1 to " + MOST_PIECES);
        }
        message = Arena.ofAuto().allocate(MSGHDR_BYTES + pieces * IOVEC_BYTES, Long.BYTES);
        message.set(JAVA_LONG, MSG_IOV, message.address() + MSGHDR_BYTES);
        message.set(JAVA_LONG, MSG_IOVLEN, pieces);
    }

    /**
     * Puts memory into a place.
     *
     * @param piece the place, from 0
     * @param address absolute address of the first byte
     * @param bytes how many, 0 or more
     * @return this vector
     */
    public IoVector set(int piece, long address, long bytes) {
        long at = MSGHDR_BYTES + piece * IOVEC_BYTES;
        message.set(JAVA_LONG, at, address);
        message.set(JAVA_LONG, at + IOV_LEN, bytes);
        return this;
    }

    /** Where the {@code struct msghdr} lies. */
    MemorySegment message() {
        return message;
    }
}
