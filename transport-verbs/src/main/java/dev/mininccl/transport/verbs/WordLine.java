package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.posix.NativeMemory;

/**
 * The line that announces a slice: 64-bit words of 32 bits of data below the 32 low bits of the slice's number. A word is
 * there when its number is, so nothing depends on the order in which a device, or the copy loop of a software one, writes
 * the bytes of one request. A short slice lies in the line itself and takes one request; a longer one is written to its slot
 * by an earlier request of the same queue pair.
 *
 * <pre>
 * | fingerprint, low | fingerprint, high | length | consumed by the sender | 4 bytes of the slice | ...
 * </pre>
 *
 * Lines are never cleared. A number comes back after 2^32 slices; by then its slot's header words have been rewritten.
 */
final class WordLine {

    private static final int HEADER_WORDS = 4;

    /** What announces a slice that lies in a slot. */
    static final int HEADER_BYTES = HEADER_WORDS * Long.BYTES;

    /** The longest slice that travels in its line. */
    static final int SHORT_BYTES = 1008;

    /** The size of a line. */
    static final int BYTES = HEADER_BYTES + 2 * SHORT_BYTES;

    /** {@link #arrived}: not yet. */
    static final int ABSENT = -1;

    private static final int FINGERPRINT_HIGH = 8;
    private static final int LENGTH = 16;
    private static final int CONSUMED = 24;
    private static final long DATA_MASK = 0xffffffffL;

    private WordLine() {}

    /** Writes the header words. */
    static void head(long line, long number, long fingerprint, int bytes, long consumed) {
        long tag = number << Integer.SIZE;
        NativeMemory.putLong(line, tag | (fingerprint & DATA_MASK));
        NativeMemory.putLong(line + FINGERPRINT_HIGH, tag | (fingerprint >>> Integer.SIZE));
        NativeMemory.putLong(line + LENGTH, tag | bytes);
        NativeMemory.putLong(line + CONSUMED, tag | (consumed & DATA_MASK));
    }

    /** Writes a short slice behind the header; returns the line's length. */
    static int pack(long line, long number, long source, int bytes) {
        long tag = number << Integer.SIZE;
        long word = line + HEADER_BYTES;
        int whole = bytes & -Integer.BYTES;
        for (int at = 0; at < whole; at += Integer.BYTES, word += Long.BYTES) {
            NativeMemory.putLong(word, tag | (NativeMemory.getInt(source + at) & DATA_MASK));
        }
        if (whole < bytes) {
            long last = 0;
            for (int at = bytes - 1; at >= whole; at--) {
                last = (last << Byte.SIZE) | (NativeMemory.getByte(source + at) & 0xff);
            }
            NativeMemory.putLong(word, tag | last);
            word += Long.BYTES;
        }
        return (int) (word - line);
    }

    /** The length of the slice with a number once its header is there, or {@link #ABSENT}. */
    static int arrived(long line, long number) {
        int tag = (int) number;
        long length = NativeMemory.getLongAcquire(line + LENGTH);
        boolean there = tag(length) == tag
                && tag(NativeMemory.getLongAcquire(line)) == tag
                && tag(NativeMemory.getLongAcquire(line + FINGERPRINT_HIGH)) == tag
                && tag(NativeMemory.getLongAcquire(line + CONSUMED)) == tag;
        return there ? (int) length : ABSENT;
    }

    private static int tag(long word) {
        return (int) (word >>> Integer.SIZE);
    }

    /** Only after {@link #arrived}. */
    static long fingerprint(long line) {
        long high = NativeMemory.getLong(line + FINGERPRINT_HIGH);
        return (NativeMemory.getLong(line) & DATA_MASK) | (high << Integer.SIZE);
    }

    /** Only after {@link #arrived}: the low half of the counter. */
    static int consumed(long line) {
        return NativeMemory.getInt(line + CONSUMED);
    }

    /** Reads a short slice; false if a part of it is not there yet. */
    static boolean unpack(long line, long number, long target, int bytes) {
        int tag = (int) number;
        long from = line + HEADER_BYTES;
        int whole = bytes & -Integer.BYTES;
        for (int at = 0; at < whole; at += Integer.BYTES, from += Long.BYTES) {
            long word = NativeMemory.getLong(from);
            if (tag(word) != tag) {
                return false;
            }
            NativeMemory.putInt(target + at, (int) word);
        }
        return whole == bytes || unpackTail(from, tag, target + whole, bytes - whole);
    }

    private static boolean unpackTail(long from, int tag, long target, int bytes) {
        long word = NativeMemory.getLong(from);
        for (int at = 0; at < bytes; at++) {
            NativeMemory.putByte(target + at, (byte) (word >>> (at * Byte.SIZE)));
        }
        return tag(word) == tag;
    }
}
