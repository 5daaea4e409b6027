package dev.mininccl.transport.verbs;

import java.nio.ByteBuffer;

/**
 * One end of a link, as the other end must know it.
 *
 * @param number of the queue pair
 * @param sequence of its first packet
 * @param key of its memory, for writes
 * @param base where its memory lies
 */
record Endpoint(int number, int sequence, int key, long base) {

    static final int BYTES = 3 * Integer.BYTES + Long.BYTES;

    void write(ByteBuffer to) {
        to.putInt(number).putInt(sequence).putInt(key).putLong(base);
    }

    static Endpoint read(ByteBuffer from) {
        return new Endpoint(from.getInt(), from.getInt(), from.getInt(), from.getLong());
    }

    /** The word that a ping of this end has at an index: unlike that of any other connection. */
    long ping(int index) {
        return (((long) number << 32) | sequence) * 0x9E3779B97F4A7C15L + index + 1;
    }
}
