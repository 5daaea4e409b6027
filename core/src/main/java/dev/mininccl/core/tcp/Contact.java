package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a rank publishes so that its peers can reach it.
 *
 * @param token known only to those who got this contact; whoever shows it may connect
 * @param host see {@link HostIdentity}
 * @param shape what both ends of a link must agree on
 * @param nearby where ranks with the same host identity connect to
 * @param distant where all others connect to
 */
record Contact(Token token, String host, Shape shape, List<SockAddr> nearby, List<SockAddr> distant) {

    private static final int VERSION = 1;
    private static final int MOST_ADDRESSES = 256;

    /**
     * The form of a pair's links.
     *
     * @param channels links a pair
     * @param sockets connections a link
     * @param slotBytes the largest slice
     */
    record Shape(int channels, int sockets, int slotBytes) {

        /** Connections a pair. */
        int connections() {
            return channels * sockets;
        }
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(64 * 1024);
        out.putInt(VERSION);
        token.write(out);
        out.putInt(shape.channels).putInt(shape.sockets).putInt(shape.slotBytes);
        put(out, host.getBytes(StandardCharsets.UTF_8));
        put(out, nearby);
        put(out, distant);
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static Contact decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            int version = in.getInt();
            if (version != VERSION) {
                throw new IllegalArgumentException("contact of version " + version + ", this rank speaks " + VERSION);
            }
            Token token = Token.read(in);
            Shape shape = new Shape(in.getInt(), in.getInt(), in.getInt());
            String host = new String(get(in), StandardCharsets.UTF_8);
            return new Contact(token, host, shape, addresses(in), addresses(in));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("contact of " + bytes.length + " bytes ends too early", e);
        }
    }

    private static void put(ByteBuffer out, byte[] bytes) {
        out.putShort((short) bytes.length).put(bytes);
    }

    private static void put(ByteBuffer out, List<SockAddr> addresses) {
        int count = Math.min(addresses.size(), MOST_ADDRESSES);
        out.putShort((short) count);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(SockAddr.MOST_BYTES, Long.BYTES);
            for (SockAddr address : addresses.subList(0, count)) {
                put(out, encoded.asSlice(0, address.encode(encoded)).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    private static byte[] get(ByteBuffer in) {
        byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(bytes);
        return bytes;
    }

    private static List<SockAddr> addresses(ByteBuffer in) {
        int count = Short.toUnsignedInt(in.getShort());
        List<SockAddr> addresses = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(SockAddr.MOST_BYTES, Long.BYTES);
            for (int i = 0; i < count; i++) {
                byte[] bytes = get(in);
                if (bytes.length > SockAddr.MOST_BYTES) {
                    throw new IllegalArgumentException("address of " + bytes.length + " bytes in a contact");
                }
                MemorySegment.copy(bytes, 0, encoded.fill((byte) 0), ValueLayout.JAVA_BYTE, 0, bytes.length);
                addresses.add(SockAddr.decode(encoded, bytes.length));
            }
        }
        return addresses;
    }
}
