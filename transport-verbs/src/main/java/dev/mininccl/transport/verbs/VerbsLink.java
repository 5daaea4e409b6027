package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Access;
import dev.mininccl.bindings.ibverbs.CompletionQueue;
import dev.mininccl.bindings.ibverbs.MemoryRegion;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import dev.mininccl.bindings.ibverbs.QueuePair;
import dev.mininccl.bindings.ibverbs.QueuePairOptions;
import dev.mininccl.bindings.ibverbs.Retry;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.Mman;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** One queue pair with its memory: both lanes between this rank and a peer on one channel. */
final class VerbsLink implements Link {

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    /** What a request is to carry itself, in the order in which it is asked for: devices differ in what they can. */
    private static final int[] INLINE_BYTES = {256, 64, 0};

    private static final int ACCESS = Access.LOCAL_WRITE | Access.REMOTE_WRITE;

    private final Port port;
    private final int peer;
    private final SlabLayout layout;
    private final Supplier<Deadline> farewell;
    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final LinkFailure failure;
    private final Endpoint self;
    private final long base;
    private final QueuePair pair;
    private final SendQueue queue;
    private final VerbsSendLane send;
    private final VerbsReceiveLane receive;
    private String description = "not connected";
    private boolean taken;
    private boolean closed;

    /**
     * Takes what the link needs; it leaves nothing behind if something is refused.
     *
     * @param farewell until when closing may wait
     * @param arena owns what lives as long as the transport
     */
    VerbsLink(
            Port port,
            ProtectionDomain domain,
            int peer,
            SlabLayout layout,
            Flow flow,
            UserRegions regions,
            Supplier<Deadline> farewell,
            Arena arena) {
        this.port = port;
        this.peer = peer;
        this.layout = layout;
        this.farewell = farewell;
        failure = new LinkFailure("verbs link to rank " + peer + " over " + port);
        try {
            base = Mman.mapAnonymous(layout.bytes());
            closing.push(() -> Mman.unmap(base, layout.bytes()));
            MemoryRegion region = domain.register(base, layout.bytes(), ACCESS);
            closing.push(region::close);
            int requests = flow.window() + SendQueue.RESERVE;
            CompletionQueue completions = port.context().createQueue(requests + 1);
            closing.push(completions::close);
            pair = pair(domain, completions, requests);
            closing.push(pair::close);
            pair.toInit(port.number(), ACCESS);
            int sequence = ThreadLocalRandom.current().nextInt(QueuePair.LARGEST_SEQUENCE + 1);
            self = new Endpoint(pair.number(), sequence, region.remoteKey(), base);
            queue = new SendQueue(pair, completions, flow, region.localKey(), failure, arena);
        } catch (RuntimeException e) {
            free();
            throw e;
        }
        Credits credits = new Credits();
        long place = arena.allocate(WordLine.SHORT_BYTES, 128).address();
        receive = new VerbsReceiveLane(layout, base, queue, credits, failure, place);
        send = new VerbsSendLane(layout, base, queue, credits, failure, receive, regions);
    }

    private static QueuePair pair(ProtectionDomain domain, CompletionQueue completions, int requests) {
        for (int index = 0; ; index++) {
            try {
                return domain.createQueuePair(
                        new QueuePairOptions(completions, completions, requests, 1, INLINE_BYTES[index], false));
            } catch (VerbsException e) {
                if (e.errno() != Errno.EINVAL || index == INLINE_BYTES.length - 1) {
                    throw e;
                }
            }
        }
    }

    Endpoint self() {
        return self;
    }

    Port port() {
        return port;
    }

    int number() {
        return self.number();
    }

    /** From now on slices may be under way, so that closing must wait for them. */
    Link take() {
        taken = true;
        return this;
    }

    /** Closing will wait for nothing. */
    void abandon() {
        taken = false;
    }

    void fail(String reason) {
        failure.set(reason);
    }

    /** Connects to the peer's end and writes it a ping; fails where the two ports are of different kinds. */
    void connect(RailAddress remote, Endpoint end, Retry retry) {
        failure.rename("verbs link to rank " + peer + " at GID " + remote.gid() + " over " + port + ", queue pair 0x"
                + Integer.toHexString(number()));
        if (remote.ethernet() != port.ethernet()) {
            fail("one port is Ethernet, the other InfiniBand");
            return;
        }
        pair.toReadyToReceive(port.path(remote.gid(), remote.lid(), remote.mtu()), end.number(), end.sequence());
        pair.toReadyToSend(self.sequence(), retry);
        queue.connect(end.key());
        send.connect(end.base());
        receive.connect(end.base());
        description = port + " to " + remote.gid() + ", " + layout.depth() + " slots of " + layout.slotBytes()
                + " B, path MTU "
                + port.attributes().activeMtu().min(remote.mtu()).bytes() + ", ping proven";
        for (int index = 0; index < SlabLayout.PING_BYTES / Long.BYTES; index++) {
            NativeMemory.putLong(base + SlabLayout.SCRATCH + (long) index * Long.BYTES, self.ping(index));
        }
        queue.write(base + SlabLayout.SCRATCH, SlabLayout.PING_BYTES, end.base() + SlabLayout.PING, true);
    }

    /** What {@link #description} shall say, where it speaks for further channels. */
    void describe(String text) {
        description = text;
    }

    /** Whether our ping was acknowledged and the peer's has come. */
    boolean proven(Endpoint end) {
        queue.poll();
        boolean there = queue.completed() == queue.posted();
        for (int index = 0; index < SlabLayout.PING_BYTES / Long.BYTES; index++) {
            long word = NativeMemory.getLongAcquire(base + SlabLayout.PING + (long) index * Long.BYTES);
            there &= word == end.ping(index);
        }
        return there;
    }

    /** The reason, or null while the link works. */
    String failure() {
        return failure.text();
    }

    /** What {@link #proven} waits for, in words. */
    String waitsFor() {
        return (queue.completed() == queue.posted() ? "the peer's ping has not come" : "the ping was not acknowledged")
                + " over " + port;
    }

    boolean peerSaidGoodbye() {
        return NativeMemory.getLongAcquire(base + SlabLayout.CREDIT + SlabLayout.GOODBYE) != 0;
    }

    /** Tells the peer that nothing follows; false if that cannot be told. */
    boolean sayGoodbye() {
        if (failure.failed() || !queue.room()) {
            return false;
        }
        receive.tell(1, true);
        return true;
    }

    /** How many bytes left from user memory without a copy. */
    long sentInPlace() {
        return send.sentInPlace();
    }

    /** Whether everything posted was acknowledged, or never will be. */
    boolean drained() {
        queue.poll();
        return queue.completed() == queue.posted() || failure.failed();
    }

    @Override
    public SendLane send() {
        return send;
    }

    @Override
    public ReceiveLane receive() {
        return receive;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (taken) {
            Farewell.say(this, farewell.get());
        }
        failure.set("closed by this rank");
        free();
    }

    private void free() {
        while (!closing.isEmpty()) {
            try {
                closing.pop().run();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "closing the link to rank {0} over {1}: {2}", peer, port, e.getMessage());
            }
        }
    }
}
