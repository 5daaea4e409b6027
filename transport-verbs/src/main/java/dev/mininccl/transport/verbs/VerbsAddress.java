package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.Mtu;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What peers need in order to reach a rank.
 *
 * @param gid of its port
 * @param lid of its port, 0 on Ethernet
 * @param mtu of its port
 * @param ethernet whether its port is RoCE
 * @param layout of its links
 * @param channels links a pair
 * @param ends by peer, then by channel; none for the rank itself
 */
record VerbsAddress(
        Gid gid, int lid, Mtu mtu, boolean ethernet, SlabLayout layout, int channels, List<List<Endpoint>> ends) {

    /** Changes with the layout of the address, the slab or the lines. */
    private static final int FORMAT = 1;

    private static final int HEADER_BYTES = 8 * Integer.BYTES + Gid.BYTES;

    /** The most that a transport may publish. */
    static final int MOST_BYTES = 64 * 1024;

    static int bytes(int ranks, int channels) {
        return HEADER_BYTES + ranks * channels * Endpoint.BYTES;
    }

    byte[] encode() {
        ByteBuffer to = ByteBuffer.allocate(bytes(ends.size() - 1, channels));
        to.putInt(FORMAT).putLong(gid.high()).putLong(gid.low());
        to.putInt(lid).putInt(mtu.code()).putInt(ethernet ? 1 : 0);
        to.putInt(layout.depth()).putInt(layout.slotBytes()).putInt(channels).putInt(ends.size());
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
            Gid gid = new Gid(from.getLong(), from.getLong());
            int lid = from.getInt();
            Mtu mtu = Mtu.of(from.getInt());
            boolean ethernet = from.getInt() != 0;
            SlabLayout layout = new SlabLayout(from.getInt(), from.getInt());
            int channels = from.getInt();
            int ranks = from.getInt();
            if (channels < 1 || ranks < 1 || bytes.length != bytes(ranks - 1, channels)) {
                throw new IllegalArgumentException("address of " + bytes.length + " bytes is malformed");
            }
            List<List<Endpoint>> ends = new ArrayList<>();
            for (int peer = 0; peer < ranks; peer++) {
                ends.add(peer == rank ? List.of() : ends(from, channels));
            }
            return new VerbsAddress(gid, lid, mtu, ethernet, layout, channels, List.copyOf(ends));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("address of " + bytes.length + " bytes ends too early", e);
        }
    }

    private static List<Endpoint> ends(ByteBuffer from, int channels) {
        List<Endpoint> ends = new ArrayList<>();
        for (int channel = 0; channel < channels; channel++) {
            ends.add(Endpoint.read(from));
        }
        return List.copyOf(ends);
    }

    /** Why a peer cannot be met, the same on both sides; {@code null} if it can. */
    String whyNot(VerbsAddress peer) {
        if (peer.ethernet != ethernet) {
            return "one port is Ethernet, the other InfiniBand";
        }
        return peer.layout.equals(layout) && peer.channels == channels && peer.ends.size() == ends.size()
                ? null
                : "lanes differ: " + lanes() + " here, " + peer.lanes() + " there";
    }

    private String lanes() {
        return channels + " x " + layout.depth() + " slots of " + layout.slotBytes() + " B";
    }
}
