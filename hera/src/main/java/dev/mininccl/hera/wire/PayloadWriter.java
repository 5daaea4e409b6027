package dev.mininccl.hera.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes one frame: fields big-endian, arrays and texts (UTF-8) behind their length. */
final class PayloadWriter {

    private ByteBuffer out = ByteBuffer.allocate(256).position(Frame.HEADER_BYTES);

    PayloadWriter int32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    PayloadWriter int64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    PayloadWriter flag(boolean value) {
        room(1).put((byte) (value ? 1 : 0));
        return this;
    }

    PayloadWriter bytes(byte[] value) {
        room(Integer.BYTES + value.length).putInt(value.length).put(value);
        return this;
    }

    PayloadWriter text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    PayloadWriter identity(Identity value) {
        return text(value.host())
                .int64(value.pid())
                .int64(value.instance())
                .text(value.bootId())
                .text(value.about());
    }

    /** The whole frame, ready to be sent. */
    ByteBuffer frame(int type) {
        int length = out.position() - Frame.HEADER_BYTES;
        out.putInt(0, Frame.MAGIC)
                .put(4, (byte) Frame.VERSION)
                .put(5, (byte) type)
                .putShort(6, (short) 0)
                .putInt(8, length);
        return out.flip();
    }

    private ByteBuffer room(int bytes) {
        if (out.remaining() < bytes) {
            int capacity = Math.max(Math.addExact(out.position(), bytes), 2 * out.capacity());
            out = ByteBuffer.allocate(capacity).put(out.flip());
        }
        return out;
    }
}
