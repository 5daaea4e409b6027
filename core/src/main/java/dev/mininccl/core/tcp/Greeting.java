package dev.mininccl.core.tcp;

import java.nio.ByteBuffer;

/**
 * The one message of the handshake, big-endian: magic with version (8 bytes), rank (4), connection (4), token (16). The
 * connecting rank greets with the listener's token, the listener answers with the connecting rank's, and the connecting
 * rank says its greeting once more: only then does the listener count the connection, so that one which was given up
 * while it waited in the backlog is never used.
 *
 * @param rank who speaks
 * @param connection channel times sockets a link, plus the socket's number
 * @param token that of the one spoken to
 */
record Greeting(int rank, int connection, Token token) {

    static final int BYTES = 32;

    /** "MNCCLTC" and version 1. */
    private static final long MAGIC = 0x4D_4E_43_43_4C_54_43_01L;

    void write(ByteBuffer out) {
        out.putLong(MAGIC).putInt(rank).putInt(connection);
        token.write(out);
    }

    /** Null where this is no greeting. */
    static Greeting read(ByteBuffer in) {
        return in.getLong() == MAGIC ? new Greeting(in.getInt(), in.getInt(), Token.read(in)) : null;
    }

    boolean same(Greeting other) {
        return rank == other.rank && connection == other.connection && token.same(other.token);
    }
}
