package dev.mininccl.hera.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Cuts a stream of bytes into frames. Holds at most one unfinished frame, whose size the limit bounds. */
public final class FrameDecoder {

    private final ByteBuffer header = ByteBuffer.allocate(Frame.HEADER_BYTES);
    private ByteBuffer payload;
    private int limit;

    /** Accepts payloads of up to {@code limit} bytes. */
    public FrameDecoder(int limit) {
        this.limit = limit;
    }

    /** Changes the limit for the frames whose header has not arrived yet. */
    public void limit(int bytes) {
        limit = bytes;
    }

    /**
     * Takes bytes until a frame is whole.
     *
     * @return the frame, or {@code null} if all bytes were taken and more are needed
     */
    public Frame next(ByteBuffer source) throws ProtocolException {
        if (payload == null) {
            move(source, header);
            checkMagic();
            if (header.hasRemaining()) {
                return null;
            }
            payload = ByteBuffer.allocate(checkedLength());
        }
        move(source, payload);
        if (payload.hasRemaining()) {
            return null;
        }
        Frame frame = new Frame(Byte.toUnsignedInt(header.get(5)), payload.array());
        header.clear();
        payload = null;
        return frame;
    }

    /** As soon as four bytes are there, so that a stranger who sends less than a header is recognised, too. */
    private void checkMagic() throws ProtocolException {
        if (header.position() >= Integer.BYTES && header.getInt(0) != Frame.MAGIC) {
            String found = HexFormat.ofDelimiter(" ").formatHex(header.array(), 0, Integer.BYTES);
            throw new ProtocolException("does not speak Hera's protocol (it begins with bytes " + found + ")");
        }
    }

    private int checkedLength() throws ProtocolException {
        int version = Byte.toUnsignedInt(header.get(4));
        if (version != Frame.VERSION) {
            throw new ProtocolException("speaks version " + version + " of Hera's protocol, this side version "
                    + Frame.VERSION + ": use the same Mini-NCCL everywhere");
        }
        int type = Byte.toUnsignedInt(header.get(5));
        if (header.getShort(6) != 0) {
            throw new ProtocolException("sent a frame of type " + type + " whose reserved bits are not 0");
        }
        int length = header.getInt(8);
        if (length < 0 || length > limit) {
            throw new ProtocolException("sent a frame of type " + type + " with " + Integer.toUnsignedString(length)
                    + " bytes, allowed are 0 to " + limit);
        }
        return length;
    }

    private static void move(ByteBuffer source, ByteBuffer target) {
        int bytes = Math.min(source.remaining(), target.remaining());
        target.put(target.position(), source, source.position(), bytes);
        target.position(target.position() + bytes);
        source.position(source.position() + bytes);
    }
}
