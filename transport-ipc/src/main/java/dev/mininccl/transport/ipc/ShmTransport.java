package dev.mininccl.transport.ipc;

import dev.mininccl.core.lane.LaneLayout;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Lanes between processes of one machine: slots in a file that a pair shares. */
final class ShmTransport implements Transport {

    static final String NAME = "shm";

    private static final long SHORTEST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final TransportContext context;
    private final SharedFolder folder;
    private final ShmAddress self;
    private final Arena arena = Arena.ofShared();
    private final CrossProbe probe;
    private final ShmPair[] pairs;
    private boolean closed;

    ShmTransport(TransportContext context, SharedFolder folder) {
        this.context = context;
        this.folder = folder;
        this.probe = new CrossProbe(context.settings(), arena);
        this.pairs = new ShmPair[context.size()];
        LaneLayout layout = LaneLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().number(Setting.SLICE_SIZE));
        this.self = ShmAddress.of(folder, layout, context.channels());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte[] address() {
        return self.encode();
    }

    @Override
    public List<String> attach(List<byte[]> addresses, BitSet wanted, Deadline deadline) {
        String[] reasons = new String[addresses.size()];
        BitSet waiting = new BitSet();
        for (int peer = wanted.nextSetBit(0); peer >= 0; peer = wanted.nextSetBit(peer + 1)) {
            ShmAddress other = ShmAddress.decode(addresses.get(peer));
            reasons[peer] = self.whyNot(other);
            if (reasons[peer] == null) {
                pairs[peer] = new ShmPair(context, folder, self, other, peer, probe);
                waiting.set(peer);
            }
        }
        meet(waiting, reasons, deadline);
        for (int peer = waiting.nextSetBit(0); peer >= 0; peer = waiting.nextSetBit(peer + 1)) {
            drop(
                    peer,
                    (context.abort().raisedAcquire() ? "aborted: " : "deadline passed: ") + pairs[peer].waitsFor(),
                    reasons);
        }
        return Arrays.asList(reasons);
    }

    /** Returns when all have met or failed, or nothing more is to be hoped for. */
    private void meet(BitSet waiting, String[] reasons, Deadline deadline) {
        long pause = SHORTEST_PAUSE_NANOS;
        while (true) {
            int before = waiting.cardinality();
            for (int peer = waiting.nextSetBit(0); peer >= 0; peer = waiting.nextSetBit(peer + 1)) {
                if (advance(peer, reasons)) {
                    waiting.clear(peer);
                }
            }
            if (waiting.isEmpty() || deadline.expired() || context.abort().raisedAcquire()) {
                return;
            }
            pause = waiting.cardinality() < before ? SHORTEST_PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            LockSupport.parkNanos(pause);
        }
    }

    /** Whether nothing more is to be done for a peer. */
    private boolean advance(int peer, String[] reasons) {
        try {
            return pairs[peer].advance();
        } catch (TransportUnavailableException e) {
            drop(peer, e.getMessage(), reasons);
            return true;
        }
    }

    private void drop(int peer, String reason, String[] reasons) {
        reasons[peer] = reason;
        pairs[peer].giveUp();
    }

    @Override
    public Link link(int peer, int channel) {
        return pairs[peer].link(channel, arena);
    }

    @Override
    public void settled() {
        for (ShmPair pair : pairs) {
            if (pair != null) {
                pair.settled();
            }
        }
    }

    @Override
    public Optional<Windows> windows() {
        return Optional.of(new ShmWindows(folder, context.size()));
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (ShmPair pair : pairs) {
            if (pair != null) {
                pair.close();
            }
        }
        arena.close();
    }
}
