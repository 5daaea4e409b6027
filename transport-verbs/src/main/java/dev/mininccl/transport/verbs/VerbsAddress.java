package dev.mininccl.transport.verbs;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What peers need in order to reach a rank.
 *
 * @param rails its ports; channel k goes over number k modulo their count, at either end by itself
 * @param layout of its links
 * @param channels links a pair
 * @param ends by peer, then by channel; none for the rank itself
 */
record VerbsAddress(List<RailAddress> rails, SlabLayout layout, int channels, List<List<Endpoint>> ends) {

    /** Changes with the layout of the address, the slab or the lines. */
    private static final int FORMAT = 2;

    private static final int HEADER_BYTES = 6 * Integer.BYTES;

    /** The most that a transport may publish. */
    static final int MOST_BYTES = 64 * 1024;

    static int bytes(int rails, int ranks, int channels) {
        return HEADER_BYTES + rails * RailAddress.BYTES + ranks * channels * Endpoint.BYTES;
    }

    byte[] encode() {
        ByteBuffer to = ByteBuffer.allocate(bytes(rails.size(), ends.size() - 1, channels));
        to.putInt(FORMAT).putInt(rails.size());
        to.putInt(layout.depth()).putInt(layout.slotBytes()).putInt(channels).putInt(ends.size());
        rails.forEach(rail -> rail.write(to));
        for (List<Endpoint> peer : ends) {
            peer.forEach(end -> end.write(to));
        }
        return to.array();
    }

    /**
     * Reads what {@link #encode} of a given rank wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static VerbsAddress decode(byte[] bytes, int rank) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        try {
            int format = from.getInt();
            if (format != FORMAT) {
                throw new IllegalArgumentException("address of format " + format + ", this rank reads " + FORMAT);
            }
            int rails = from.getInt();
            SlabLayout layout = new SlabLayout(from.getInt(), from.getInt());
            int channels = from.getInt();
            int ranks = from.getInt();
            if (rails < 1 || channels < 1 || ranks < 1 || bytes.length != bytes(rails, ranks - 1, channels)) {
                throw new IllegalArgumentException("address of " + bytes.length + " bytes is malformed");
            }
            List<RailAddress> ports = read(rails, from, RailAddress::read);
            List<List<Endpoint>> ends = new ArrayList<>();
            for (int peer = 0; peer < ranks; peer++) {
                ends.add(peer == rank ? List.of() : read(channels, from, Endpoint::read));
            }
            return new VerbsAddress(ports, layout, channels, List.copyOf(ends));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("address of " + bytes.length + " bytes ends too early", e);
        }
    }

    private static <T> List<T> read(int count, ByteBuffer from, Function<ByteBuffer, T> one) {
        List<T> all = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            all.add(one.apply(from));
        }
        return List.copyOf(all);
    }

    /** The port that serves a channel. */
    RailAddress rail(int channel) {
        return rails.get(channel % rails.size());
    }

    /** Why a peer cannot be met, the same on both sides; {@code null} if it can. */
    String whyNot(VerbsAddress peer) {
        if (!peer.layout.equals(layout) || peer.channels != channels || peer.ends.size() != ends.size()) {
            return "lanes differ: " + lanes() + " here, " + peer.lanes() + " there";
        }
        return null;
    }

    private String lanes() {
        return channels + " x " + layout.depth() + " slots of " + layout.slotBytes() + " B";
    }
}
