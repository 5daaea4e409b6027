package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.AsyncEvent;
import dev.mininccl.bindings.ibverbs.DeviceAttributes;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Pinning;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** One port of a rank with all that belongs to it alone: protection domain, registrations, events, and the links over it. */
final class Rail implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private final Port port;
    private final BitSet near;
    private final Deque<Runnable> closing = new ArrayDeque<>();
    /** Links may be added while the event thread reads. */
    private final List<VerbsLink> links = new CopyOnWriteArrayList<>();

    private final ProtectionDomain domain;
    private final UserRegions regions;
    /** As many as a send queue and the queue of their completions hold. */
    private final int requests;

    /** Whoever opened the port closes it, after the rail. */
    Rail(Port port, Settings settings) {
        this.port = port;
        near = Pinning.of(settings).near(port.context().device().numaNode());
        try {
            DeviceAttributes limits = port.context().attributes();
            requests = Math.min(limits.maxRequests(), limits.maxCompletions() - 1);
            domain = port.context().allocateDomain();
            closing.push(domain::close);
            regions = new UserRegions(domain, settings.number(Setting.PINNED_LIMIT));
            closing.push(regions::close);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Makes the link to a peer on one channel; it is closed with the rail. */
    VerbsLink link(int peer, SlabLayout layout, Flow flow, Supplier<Deadline> farewell, Arena arena) {
        VerbsLink link = new VerbsLink(port, domain, peer, layout, flow.within(requests), regions, farewell, arena);
        links.add(link);
        return link;
    }

    boolean owns(VerbsLink link) {
        return links.contains(link);
    }

    /** Takes the device's events from now on. */
    void watch() {
        EventThread events = new EventThread(
                port.name(),
                port.number(),
                port.context()::nextEvent,
                near,
                this::fail,
                why -> links.forEach(link -> link.fail("the device's events cannot be read any more: " + why)));
        closing.push(events::close);
    }

    /** Called by the event thread. */
    private void fail(AsyncEvent event) {
        for (VerbsLink link : links) {
            if (event.queuePair() == 0 || event.queuePair() == link.number()) {
                link.fail("the device reports " + event);
            }
        }
    }

    RailAddress address() {
        return new RailAddress(
                port.gid().gid(), port.attributes().lid(), port.attributes().activeMtu(), port.ethernet());
    }

    /** The processors of its NUMA node; none where that does not matter. */
    BitSet near() {
        return near;
    }

    void announce(MemorySegment in, MemorySegment out, long bytes) {
        regions.announce(in, out, bytes);
    }

    void withdraw() {
        regions.withdraw();
    }

    String metrics() {
        return regions.metrics(
                port.context().device().name(),
                links.stream().mapToLong(VerbsLink::sentInPlace).sum());
    }

    @Override
    public String toString() {
        return port.toString();
    }

    @Override
    public void close() {
        links.forEach(VerbsLink::close);
        while (!closing.isEmpty()) {
            try {
                closing.pop().run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "closing {0}: {1}", port, e.getMessage());
            }
        }
    }
}
