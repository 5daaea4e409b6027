package dev.mininccl.core.local;

import dev.mininccl.core.lane.LaneLayout;
import dev.mininccl.core.lane.SlotLink;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.Windows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Lanes between ranks of one process: slots in plain memory, and a peer's memory is simply there. */
final class LocalTransport implements Transport {

    static final String NAME = "local";

    /** The longest slice by reference: what a reducer takes at once without losing its cache. */
    private static final int REFERENCE_BYTES = 256 * 1024;

    private final int rank;
    private final LocalAddress address;
    private final LocalMemory[] pairs;

    LocalTransport(TransportContext context) {
        rank = context.rank();
        LaneLayout layout = LaneLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().integer(Setting.SLICE_SIZE));
        address = LocalAddress.create(layout, context.channels());
        pairs = new LocalMemory[context.size()];
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
                REFERENCE_BYTES,
                new SameProcessMemory(),
                "one process, " + address.layout().depth() + " slots of "
                        + address.layout().slotBytes() + " B, larger slices read in place");
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
        for (int peer = 0; peer < pairs.length; peer++) {
            LocalMemory pair = pairs[peer];
            pairs[peer] = null;
            if (pair != null) {
                pair.release();
            }
        }
    }

    /** What names a pair's memory: both addresses, the lower rank's first. */
    private record PairKey(LocalAddress lower, LocalAddress higher) {}
}
