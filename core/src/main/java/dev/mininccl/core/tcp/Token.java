package dev.mininccl.core.tcp;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/** 128 random bits. */
record Token(long high, long low) {

    static Token random() {
        SecureRandom random = new SecureRandom();
        return new Token(random.nextLong(), random.nextLong());
    }

    static Token read(ByteBuffer in) {
        return new Token(in.getLong(), in.getLong());
    }

    void write(ByteBuffer out) {
        out.putLong(high).putLong(low);
    }

    String hex() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }

    /** Compares in a time that does not tell how much was right. */
    boolean same(Token other) {
        return ((high ^ other.high) | (low ^ other.low)) == 0;
    }

    /** Tokens let peers in, so they appear in no message. */
    @Override
    public String toString() {
        return "token";
    }
}
