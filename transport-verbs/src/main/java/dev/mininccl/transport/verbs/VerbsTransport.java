package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.DeviceList;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Lanes over RDMA: a queue pair for each peer and channel, made before any peer is known, so that one exchange does. Channels
 * are spread over the rank's rails.
 */
final class VerbsTransport implements Transport {

    static final String NAME = "verbs";

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private static final long PAUSE_NANOS = 50_000;

    private final TransportContext context;
    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final List<Rail> rails = new ArrayList<>();
    /** By peer, then channel; empty for this rank and for peers that another transport serves. */
    private final List<List<VerbsLink>> links = new ArrayList<>();

    private final BitSet linked = new BitSet();
    private final VerbsAddress self;
    private final Retry retry;
    private final Duration closeTimeout;
    /** All links of a transport share the time that closing may take. */
    private Deadline farewell;

    private boolean closed;

    static VerbsTransport open(TransportContext context) throws TransportUnavailableException {
        int bytes = VerbsAddress.bytes(context.channels(), context.size() - 1, context.channels());
        if (bytes > VerbsAddress.MOST_BYTES) {
            throw new TransportUnavailableException(context.size() + " ranks with " + context.channels()
                    + " channels need an address of " + bytes + " bytes, more than " + VerbsAddress.MOST_BYTES
                    + "; set " + Setting.CHANNELS.variable() + " lower");
        }
        try {
            return new VerbsTransport(context);
        } catch (TransportUnavailableException e) {
            if (!context.settings().text(Setting.NET_DEVICE).equals("auto")) {
                LOG.log(Level.WARNING, "no verbs: {0}", e.getMessage());
            }
            throw e;
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
            openRails();
            self = openLinks(arena);
            rails.forEach(Rail::watch);
        } catch (TransportUnavailableException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** At most one a channel: more would carry nothing. */
    private void openRails() throws TransportUnavailableException {
        int wanted = WantedPort.of(context.settings()).size();
        if (wanted > context.channels()) {
            LOG.log(
                    Level.WARNING,
                    "{0} device(s) are named, but only the first {1} are used, one a channel: set {2} higher",
                    wanted,
                    context.channels(),
                    Setting.CHANNELS.variable());
        }
        try (DeviceList devices = DeviceList.open()) {
            List<Port> ports = PortChoice.open(devices, context.settings(), context.channels());
            ports.forEach(port -> closing.push(port::close));
            for (Port port : ports) {
                Rail rail = new Rail(port, context.settings());
                closing.push(rail::close);
                rails.add(rail);
            }
        }
    }

    private VerbsAddress openLinks(Arena arena) {
        SlabLayout layout = SlabLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().number(Setting.SLICE_SIZE));
        Flow flow = Flow.of(context.settings());
        List<List<Endpoint>> ends = new ArrayList<>();
        for (int peer = 0; peer < context.size(); peer++) {
            List<VerbsLink> ofPeer = new ArrayList<>();
            links.add(ofPeer);
            for (int channel = 0; channel < context.channels() && peer != context.rank(); channel++) {
                ofPeer.add(rail(channel).link(peer, layout, flow, this::farewell, arena));
            }
            ends.add(ofPeer.stream().map(VerbsLink::self).toList());
        }
        return new VerbsAddress(rails.stream().map(Rail::address).toList(), layout, context.channels(), ends);
    }

    /** Channels take the rails in turn; the peer does the same with its own, however many these are. */
    private Rail rail(int channel) {
        return rails.get(channel % rails.size());
    }

    private Deadline farewell() {
        if (farewell == null) {
            farewell = Deadline.after(context.abort().raisedAcquire() ? Duration.ofMillis(1) : closeTimeout);
        }
        return farewell;
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
            links.get(peer).get(channel).connect(remote.rail(channel), endOf(remote, channel), retry);
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
        VerbsLink link = links.get(peer).get(channel);
        if (channel == 0) {
            link.describe(paths(peer));
        }
        return link.take();
    }

    /** What {@code explain()} tells of a peer: each path once, with the channels that take it. */
    private String paths(int peer) {
        Map<String, List<Integer>> channels = new LinkedHashMap<>();
        List<VerbsLink> ofPeer = links.get(peer);
        for (int channel = 0; channel < ofPeer.size(); channel++) {
            channels.computeIfAbsent(ofPeer.get(channel).description(), path -> new ArrayList<>())
                    .add(channel);
        }
        return rails.size() == 1 && channels.size() == 1
                ? ofPeer.getFirst().description()
                : channels.entrySet().stream()
                        .map(path -> "channels " + path.getValue() + " over " + path.getKey())
                        .collect(Collectors.joining("; "));
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
            rails.forEach(rail -> rail.announce(in, out, bytes));
        }
    }

    /** None unless the channel has a link: other transports' threads are not this one's to place. */
    @Override
    public BitSet near(int channel) {
        return linked.isEmpty() ? new BitSet() : rail(channel).near();
    }

    @Override
    public void withdraw() {
        rails.forEach(Rail::withdraw);
    }

    @Override
    public String metrics() {
        return rails.stream().map(Rail::metrics).filter(line -> !line.isEmpty()).collect(Collectors.joining("; "));
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
        LOG.log(Level.DEBUG, this::metrics);
        while (!closing.isEmpty()) {
            try {
                closing.pop().run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "closing: {0}", e.getMessage());
            }
        }
    }
}
