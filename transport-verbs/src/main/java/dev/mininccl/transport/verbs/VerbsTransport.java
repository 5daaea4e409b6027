package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.AsyncEvent;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.bindings.ibverbs.Retry;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Lanes over RDMA: a queue pair for each peer and channel, made before any peer is known, so that one exchange does. */
final class VerbsTransport implements Transport {

    static final String NAME = "verbs";

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private static final long PAUSE_NANOS = 50_000;

    private final TransportContext context;
    private final Deque<Runnable> closing = new ArrayDeque<>();
    /** By peer, then channel; empty for this rank and for peers that another transport serves. */
    private final List<List<VerbsLink>> links = new ArrayList<>();

    private final BitSet linked = new BitSet();
    private final VerbsAddress self;
    private final UserRegions regions;
    private final Retry retry;
    private final Duration closeTimeout;
    /** All links of a transport share the time that closing may take. */
    private Deadline farewell;

    private boolean closed;

    static VerbsTransport open(TransportContext context) throws TransportUnavailableException {
        int bytes = VerbsAddress.bytes(context.size() - 1, context.channels());
        if (bytes > VerbsAddress.MOST_BYTES) {
            throw new TransportUnavailableException(context.size() + " ranks with " + context.channels()
                    + " channels need an address of " + bytes + " bytes, more than " + VerbsAddress.MOST_BYTES
                    + "; set " + Setting.CHANNELS.variable() + " lower");
        }
        try {
            return new VerbsTransport(context);
        } catch (VerbsException e) {
            throw new TransportUnavailableException(e.getMessage(), e);
        }
    }

    private VerbsTransport(TransportContext context) throws TransportUnavailableException {
        this.context = context;
        retry = Retries.within(context.settings().duration(Setting.TIMEOUT));
        closeTimeout = context.settings().duration(Setting.CLOSE_TIMEOUT);
        try {
            Arena arena = Arena.ofShared();
            closing.push(arena::close);
            DeviceList devices = DeviceList.open();
            closing.push(devices::close);
            Port port = PortChoice.open(devices, context.settings());
            closing.push(port::close);
            ProtectionDomain domain = port.context().allocateDomain();
            closing.push(domain::close);
            regions = new UserRegions(domain, context.settings().number(Setting.PINNED_LIMIT));
            closing.push(regions::close);
            self = open(port, domain, arena);
            EventThread events = new EventThread(port, this::fail);
            closing.push(events::close);
        } catch (TransportUnavailableException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private VerbsAddress open(Port port, ProtectionDomain domain, Arena arena) {
        SlabLayout layout = SlabLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().number(Setting.SLICE_SIZE));
        Flow flow = Flow.of(context.settings());
        List<List<Endpoint>> ends = new ArrayList<>();
        for (int peer = 0; peer < context.size(); peer++) {
            List<VerbsLink> ofPeer = new ArrayList<>();
            links.add(ofPeer);
            for (int channel = 0; channel < context.channels() && peer != context.rank(); channel++) {
                ofPeer.add(new VerbsLink(port, domain, peer, layout, flow, regions, this::farewell, arena));
            }
            ends.add(ofPeer.stream().map(VerbsLink::self).toList());
        }
        return new VerbsAddress(
                port.gid().gid(),
                port.attributes().lid(),
                port.attributes().activeMtu(),
                port.ethernet(),
                layout,
                context.channels(),
                ends);
    }

    private Deadline farewell() {
        if (farewell == null) {
            farewell = Deadline.after(context.abort().raisedAcquire() ? Duration.ofMillis(1) : closeTimeout);
        }
        return farewell;
    }

    /** Called by the event thread, which begins when all links are there and ends before they go. */
    private void fail(AsyncEvent event) {
        for (List<VerbsLink> ofPeer : links) {
            for (VerbsLink link : ofPeer) {
                if (event.queuePair() == 0 || event.queuePair() == link.number()) {
                    link.fail("the device reports " + event);
                }
            }
        }
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
        VerbsAddress[] peers = new VerbsAddress[addresses.size()];
        BitSet waiting = new BitSet();
        for (int peer = wanted.nextSetBit(0); peer >= 0; peer = wanted.nextSetBit(peer + 1)) {
            try {
                peers[peer] = VerbsAddress.decode(addresses.get(peer), peer);
                reasons[peer] = self.whyNot(peers[peer]);
                if (reasons[peer] == null) {
                    connect(peer, peers[peer]);
                    waiting.set(peer);
                }
            } catch (IllegalArgumentException | VerbsException e) {
                reasons[peer] = e.getMessage();
            }
        }
        prove(waiting, peers, reasons, deadline);
        return Arrays.asList(reasons);
    }

    private void connect(int peer, VerbsAddress remote) {
        for (int channel = 0; channel < context.channels(); channel++) {
            links.get(peer).get(channel).connect(remote, endOf(remote, channel), retry);
        }
    }

    /** The end that a peer has made for this rank. */
    private Endpoint endOf(VerbsAddress remote, int channel) {
        return remote.ends().get(context.rank()).get(channel);
    }

    /** Returns when all pairs are proven or failed, or nothing more is to be hoped for. */
    private void prove(BitSet waiting, VerbsAddress[] peers, String[] reasons, Deadline deadline) {
        while (!waiting.isEmpty()) {
            boolean over = deadline.expired() || context.abort().raisedAcquire();
            for (int peer = waiting.nextSetBit(0); peer >= 0; peer = waiting.nextSetBit(peer + 1)) {
                reasons[peer] = look(peer, peers[peer], over);
                waiting.set(peer, reasons[peer] != null && reasons[peer].isEmpty());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Null once all links of a peer are proven, an empty text while that may still come, or the reason why not. */
    private String look(int peer, VerbsAddress remote, boolean over) {
        for (int channel = 0; channel < context.channels(); channel++) {
            VerbsLink link = links.get(peer).get(channel);
            if (!link.proven(endOf(remote, channel))) {
                return link.failure() != null ? link.failure() : over ? "deadline passed: " + link.waitsFor() : "";
            }
        }
        return null;
    }

    @Override
    public Link link(int peer, int channel) {
        linked.set(peer);
        return links.get(peer).get(channel).take();
    }

    /** What was made for peers that another transport serves goes. */
    @Override
    public void settled() {
        for (int peer = 0; peer < links.size(); peer++) {
            if (!linked.get(peer)) {
                links.get(peer).forEach(VerbsLink::close);
            }
        }
    }

    @Override
    public void announce(MemorySegment in, MemorySegment out, long bytes) {
        if (!linked.isEmpty()) {
            regions.announce(in, out, bytes);
        }
    }

    @Override
    public String metrics() {
        return regions.metrics(links.stream()
                .flatMap(List::stream)
                .mapToLong(VerbsLink::sentInPlace)
                .sum());
    }

    /** Goes without a farewell, as a killed process does; for tests. */
    void abandon() {
        links.forEach(ofPeer -> ofPeer.forEach(VerbsLink::abandon));
        close();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (regions != null) {
            LOG.log(Level.DEBUG, this::metrics);
        }
        links.forEach(ofPeer -> ofPeer.forEach(VerbsLink::close));
        while (!closing.isEmpty()) {
            try {
                closing.pop().run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "closing: {0}", e.getMessage());
            }
        }
    }
}
