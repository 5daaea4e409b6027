package dev.mininccl.hera.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads a payload and believes nothing that it says about its own length. */
final class PayloadReader {

    private final ByteBuffer in;

    PayloadReader(byte[] payload) {
        in = ByteBuffer.wrap(payload);
    }

    int int32() throws ProtocolException {
        need(Integer.BYTES);
        return in.getInt();
    }

    long int64() throws ProtocolException {
        need(Long.BYTES);
        return in.getLong();
    }

    boolean flag() throws ProtocolException {
        need(1);
        byte value = in.get();
        if (value != 0 && value != 1) {
            throw new ProtocolException("sent " + value + " where 0 or 1 is allowed");
        }
        return value == 1;
    }

    byte[] bytes() throws ProtocolException {
        int length = int32();
        if (length < 0) {
            throw new ProtocolException("sent the negative length " + length);
        }
        need(length);
        byte[] value = new byte[length];
        in.get(value);
        return value;
    }

    /** Control characters become question marks: texts end on people's terminals. */
    String text() throws ProtocolException {
        String text = new String(bytes(), StandardCharsets.UTF_8);
        StringBuilder clean = new StringBuilder(text);
        for (int i = 0; i < clean.length(); i++) {
            if (Character.isISOControl(clean.charAt(i)) && clean.charAt(i) != '\n') {
                clean.setCharAt(i, '?');
            }
        }
        return clean.toString();
    }

    /** As {@link #text}, line breaks included. */
    String line() throws ProtocolException {
        return text().replace('\n', '?');
    }

    /** A value of an enum by its name. */
    <E extends Enum<E>> E choice(Class<E> type) throws ProtocolException {
        String name = line();
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("sent an unknown " + type.getSimpleName() + ", " + name);
        }
    }

    Identity identity() throws ProtocolException {
        return new Identity(line(), int64(), int64(), line(), line());
    }

    /** Nothing may be left over. */
    void end() throws ProtocolException {
        if (in.hasRemaining()) {
            throw new ProtocolException("sent a message that is " + in.remaining() + " bytes too long");
        }
    }

    private void need(int bytes) throws ProtocolException {
        if (in.remaining() < bytes) {
            throw new ProtocolException("sent a message that ends " + (bytes - in.remaining()) + " bytes early");
        }
    }
}
