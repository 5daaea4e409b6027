package dev.mininccl.core.lane;

import dev.mininccl.bindings.posix.NativeMemory;

/** Copies a few bytes by words in line, where a call of the general copy would take longer than the copying. */
final class ShortCopy {

    private ShortCopy() {}

    static void copy(long source, long target, int bytes) {
        if (bytes < Long.BYTES) {
            tail(source, target, bytes);
            return;
        }
        int last = bytes - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            NativeMemory.putLong(target + i, NativeMemory.getLong(source + i));
        }
        NativeMemory.putLong(target + last, NativeMemory.getLong(source + last));
    }

    private static void tail(long source, long target, int bytes) {
        if (bytes >= Integer.BYTES) {
            // Two words that may overlap; both are read before the first is written.
            int last = bytes - Integer.BYTES;
            int end = NativeMemory.getInt(source + last);
            NativeMemory.putInt(target, NativeMemory.getInt(source));
            NativeMemory.putInt(target + last, end);
            return;
        }
        for (int i = 0; i < bytes; i++) {
            NativeMemory.putByte(target + i, NativeMemory.getByte(source + i));
        }
    }
}
