package dev.mininccl.core.local;

import dev.mininccl.core.lane.CrossMemory;
import dev.mininccl.core.lane.LaneLayout;
import dev.mininccl.core.lane.PeerMemory;
import dev.mininccl.core.lane.SlotLink;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.Windows;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Lanes between ranks of one process: slots in plain memory. Larger slices are read where they lie, but through the
 * kernel: a rank that failed may free its memory while another still reads it.
 */
final class LocalTransport implements Transport {

    static final String NAME = "local";

    private static final long PID = ProcessHandle.current().pid();

    private final int rank;
    private final LocalAddress address;
    private final LocalAddress[] peers;
    private final LocalMemory[] pairs;
    private final Arena arena = Arena.ofShared();
    private boolean closed;

    LocalTransport(TransportContext context) {
        rank = context.rank();
        LaneLayout layout = LaneLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().integer(Setting.SLICE_SIZE));
        boolean off = context.settings().text(Setting.CROSS_MEMORY).equals("off");
        address = LocalAddress.create(layout, context.channels(), !off && readable());
        peers = new LocalAddress[context.size()];
        pairs = new LocalMemory[context.size()];
    }

    private boolean readable() {
        long word = arena.allocate(Long.BYTES, Long.BYTES).address();
        return CrossMemory.whyNot(PID, word, 0) == null;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] address() {
        return address.encode();
    }

    @Override
    public List<String> attach(List<byte[]> addresses, BitSet wanted, Deadline deadline) {
        List<String> reasons = new ArrayList<>();
        for (int peer = 0; peer < addresses.size(); peer++) {
            reasons.add(wanted.get(peer) ? attach(peer, addresses.get(peer)) : null);
        }
        return reasons;
    }

    private String attach(int peer, byte[] bytes) {
        String reason = address.whyNot(bytes);
        if (reason == null && pairs[peer] == null) {
            LocalAddress other = LocalAddress.decode(ByteBuffer.wrap(bytes));
            peers[peer] = other;
            PairKey key = rank < peer ? new PairKey(address, other) : new PairKey(other, address);
            pairs[peer] = LocalMemory.hold(key, 2 * directionBytes());
        }
        return reason;
    }

    @Override
    public Link link(int peer, int channel) {
        long upward = pairs[peer].address() + channel * address.layout().bytes();
        long downward = upward + directionBytes();
        boolean lower = rank < peer;
        return new SlotLink(
                address.layout(),
                lower ? upward : downward,
                lower ? downward : upward,
                peers[peer].reads() ? CrossMemory.SLICE_BYTES : 0,
                address.reads() ? new CrossMemory(peer, PID, arena) : PeerMemory.NONE,
                "one process, " + address.layout().depth() + " slots of "
                        + address.layout().slotBytes() + " B, single-copy reads "
                        + (address.reads() ? "proven" : "off"));
    }

    /** All lanes of one direction. Those from the lower rank to the higher come first. */
    private long directionBytes() {
        return address.channels() * address.layout().bytes();
    }

    @Override
    public Optional<Windows> windows() {
        return Optional.of(new LocalWindows());
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (LocalMemory pair : pairs) {
            if (pair != null) {
                pair.release();
            }
        }
        arena.close();
    }

    /** What names a pair's memory: both addresses, the lower rank's first. */
    private record PairKey(LocalAddress lower, LocalAddress higher) {}
}
