package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.Retry;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.bindings.posix.PosixException;
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
import java.util.stream.Stream;

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

    private final Meeting[] meetings;
    /** Those that have links in use. */
    private final List<Rail> carrying = new ArrayList<>();

    private final BitSet linked = new BitSet();
    private final Arena arena = Arena.ofShared();
    private final SlabLayout layout;
    private final Flow flow;
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
        } catch (VerbsException | PosixException e) {
            throw new TransportUnavailableException(e.getMessage(), e);
        }
    }

    private VerbsTransport(TransportContext context) throws TransportUnavailableException {
        this.context = context;
        retry = Retries.within(context.settings().duration(Setting.TIMEOUT));
        closeTimeout = context.settings().duration(Setting.CLOSE_TIMEOUT);
        layout = SlabLayout.holding(
                context.settings().integer(Setting.SLOTS), context.settings().number(Setting.SLICE_SIZE));
        flow = Flow.of(context.settings());
        meetings = new Meeting[context.size()];
        try {
            closing.push(arena::close);
            openRails();
            self = openLinks();
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

    private VerbsAddress openLinks() {
        List<List<Endpoint>> ends = new ArrayList<>();
        for (int peer = 0; peer < context.size(); peer++) {
            List<VerbsLink> ofPeer = new ArrayList<>();
            links.add(ofPeer);
            for (int channel = 0; channel < context.channels() && peer != context.rank(); channel++) {
                ofPeer.add(open(peer, channel));
            }
            ends.add(ofPeer.stream().map(VerbsLink::self).toList());
        }
        return new VerbsAddress(rails.stream().map(Rail::address).toList(), layout, context.channels(), ends);
    }

    /** A link over the rail of a channel. */
    private VerbsLink open(int peer, int channel) {
        return rail(channel).link(peer, layout, flow, this::farewell, arena);
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
        BitSet waiting = new BitSet();
        for (int peer = wanted.nextSetBit(0); peer >= 0; peer = wanted.nextSetBit(peer + 1)) {
            try {
                VerbsAddress remote = VerbsAddress.decode(addresses.get(peer), peer);
                reasons[peer] = self.whyNot(remote);
                if (reasons[peer] == null) {
                    meetings[peer] = meeting(peer, remote);
                    meetings[peer].connect();
                    waiting.set(peer);
                }
            } catch (IllegalArgumentException e) {
                reasons[peer] = e.getMessage();
            }
        }
        prove(waiting, reasons, deadline);
        warn(wanted, reasons);
        return Arrays.asList(reasons);
    }

    private Meeting meeting(int peer, VerbsAddress remote) {
        // The ends that the peer has made for this rank.
        List<Endpoint> ends = remote.ends().get(context.rank());
        return new Meeting(links.get(peer), remote, ends, retry, channel -> open(peer, channel));
    }

    /** Returns when all pairs are proven or failed, or nothing more is to be hoped for. */
    private void prove(BitSet waiting, String[] reasons, Deadline deadline) {
        while (!waiting.isEmpty()) {
            boolean over = deadline.expired() || context.abort().raisedAcquire();
            for (int peer = waiting.nextSetBit(0); peer >= 0; peer = waiting.nextSetBit(peer + 1)) {
                reasons[peer] = look(meetings[peer], over);
                waiting.set(peer, Meeting.PENDING.equals(reasons[peer]));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static String look(Meeting meeting, boolean over) {
        try {
            String reason = meeting.look();
            return over && Meeting.PENDING.equals(reason) ? "deadline passed: " + meeting.waitsFor() : reason;
        } catch (VerbsException | PosixException e) {
            return e.getMessage();
        }
    }

    /** Once, however many ports do not reach their peers. */
    private void warn(BitSet wanted, String[] reasons) {
        wanted.stream()
                .filter(peer ->
                        reasons[peer] == null && !meetings[peer].leftOut().isEmpty())
                .findFirst()
                .ifPresent(peer -> LOG.log(
                        Level.WARNING,
                        "not all ports reach rank {0}, so channels share those that do; explain() tells all: {1}",
                        peer,
                        meetings[peer].leftOut().getFirst()));
    }

    @Override
    public Link link(int peer, int channel) {
        linked.set(peer);
        VerbsLink link = links.get(peer).get(channel);
        rails.stream()
                .filter(rail -> rail.owns(link) && !carrying.contains(rail))
                .forEach(carrying::add);
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
        if (rails.size() == 1 && channels.size() == 1) {
            return ofPeer.getFirst().description();
        }
        Stream<String> taken =
                channels.entrySet().stream().map(path -> "channels " + path.getValue() + " over " + path.getKey());
        Stream<String> leftOut = meetings[peer].leftOut().stream().map(one -> "not over the ports of " + one);
        return Stream.concat(taken, leftOut).collect(Collectors.joining("; "));
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
        for (Rail rail : carrying) {
            rail.announce(in, out, bytes);
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
