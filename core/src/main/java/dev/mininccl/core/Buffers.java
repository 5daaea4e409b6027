package dev.mininccl.core;

import java.lang.foreign.MemorySegment;

/** Checks the buffers of a call before anything is done. */
final class Buffers {

    private Buffers() {}

    /** An argument that must be given. */
    static <T> T required(String name, T value) {
        if (value == null) {
            throw new InvalidCallException(name + " null: must be given");
        }
        return value;
    }

    /** An address that a caller vouches for, who can still have forgotten it. */
    static void given(String name, long address, long bytes) {
        if (address == 0 && bytes > 0) {
            throw new InvalidCallException(name + " is address 0: must be that of " + bytes + " bytes");
        }
    }

    /** The bytes that so many elements take. */
    static long bytes(long count, DataType type) {
        if (count < 0 || count > Long.MAX_VALUE / 8) {
            throw new InvalidCallException("count " + count + ": must be 0 to " + Long.MAX_VALUE / 8);
        }
        return count * type.bytes();
    }

    /** The bytes that a rank's part takes, of which the whole has one for every rank. */
    static long partBytes(String name, long count, int ranks, DataType type) {
        long most = Long.MAX_VALUE / 8 / ranks;
        if (count < 0 || count > most) {
            throw new InvalidCallException(
                    name + " " + count + ": must be 0 to " + most + ", as " + ranks + " ranks have a part each");
        }
        return count * type.bytes();
    }

    /** The address of a segment that is fit for use as a named argument. */
    static long address(String name, MemorySegment segment, long bytes, boolean written) {
        if (segment == null) {
            throw new InvalidCallException(name + " null: must be a native memory segment");
        }
        if (!segment.isNative()) {
            throw new InvalidCallException(name + " is a heap segment of " + segment.byteSize()
                    + " bytes: must be native memory (Arena.allocate or Communicator.allocate)");
        }
        if (segment.byteSize() < bytes) {
            throw new InvalidCallException(
                    name + " of " + segment.byteSize() + " bytes: must hold at least " + bytes + " bytes");
        }
        if (!segment.scope().isAlive()) {
            throw new InvalidCallException(name + ": its arena is closed; it must be open until the operation ends");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new InvalidCallException(
                    name
                            + ": belongs to the confined arena of another thread; call from that thread or use Arena.ofShared()");
        }
        if (written && segment.isReadOnly()) {
            throw new InvalidCallException(name + ": is read-only; the result is written there");
        }
        return segment.address();
    }

    /** Input and output are one, or apart. */
    static void apart(long in, long out, long bytes) {
        if (in != out && in < out + bytes && out < in + bytes) {
            throw new InvalidCallException("out overlaps in by part (they begin " + (out - in) + " bytes apart, "
                    + bytes + " bytes each): must be the same memory, or apart");
        }
    }

    /** One part lies at its rank's place in the whole, or apart from the whole. */
    static void placed(String partName, long part, String wholeName, long whole, long bytes, int rank, int ranks) {
        long place = whole + rank * bytes;
        if (part != place && part < whole + ranks * bytes && whole < part + bytes) {
            throw new InvalidCallException(partName + " lies in " + wholeName + ", " + (part - whole)
                    + " bytes after its begin: must be " + rank * bytes + ", which is in place for rank " + rank
                    + ", or apart");
        }
    }
}
