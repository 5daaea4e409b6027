package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.ReceiveLane;

/**
 * What goes before a slice's payload on the wire: fingerprint (8 bytes), payload length (4), magic with the format's
 * version (4). Byte order is that of the machine; a peer with the other one shows as a wrong magic.
 */
final class SliceHeader {

    static final int BYTES = 16;

    private static final int LENGTH = 8;
    private static final int MAGIC = 12;
    /** "MSL" and version 1. */
    private static final int MAGIC_VALUE = 0x4D_53_4C_01;

    private SliceHeader() {}

    static void write(long at, long fingerprint, int bytes) {
        NativeMemory.putLong(at, fingerprint);
        NativeMemory.putInt(at + LENGTH, bytes);
        NativeMemory.putInt(at + MAGIC, MAGIC_VALUE);
    }

    /**
     * Compares a whole header with what is expected: {@link ReceiveLane#NOTHING} if it is as expected,
     * {@link ReceiveLane#MISMATCH} if the peer sends another operation, {@link ReceiveLane#FAILED} if this is no header.
     */
    static long compare(long at, long fingerprint, int bytes) {
        if (NativeMemory.getInt(at + MAGIC) != MAGIC_VALUE) {
            return ReceiveLane.FAILED;
        }
        boolean same = NativeMemory.getLong(at) == fingerprint && NativeMemory.getInt(at + LENGTH) == bytes;
        return same ? ReceiveLane.NOTHING : ReceiveLane.MISMATCH;
    }
}
