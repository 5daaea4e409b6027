package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Retry;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Brings up the links to one peer: each channel is proven. Where some are and others fail, since their ports do not reach each
 * other, the ends tell each other over the proven ones which these are; the rest moves to ports that both have proven, and is
 * proven there.
 */
final class Meeting {

    /** {@link #look}: not yet. */
    static final String PENDING = "";

    private static final long WHICH_WORK = 0x7661_0001L;
    private static final long NEW_ENDS = 0x7661_0002L;

    private enum State {
        PROVING,
        AGREEING,
        MOVING
    }

    private final List<VerbsLink> links;
    private final VerbsAddress remote;
    private final List<Endpoint> ends;
    private final Retry retry;
    private final IntFunction<VerbsLink> another;
    /** By own port and the peer's. */
    private final Map<Map.Entry<Port, RailAddress>, String> refused = new HashMap<>();

    private final BitSet proven = new BitSet();
    private final List<String> leftOut = new ArrayList<>();
    private State state = State.PROVING;
    /** What this end has said works. */
    private BitSet told;

    private final BitSet heard = new BitSet();
    private BitSet theirs = new BitSet();
    private Detours detours;

    /**
     * Nothing is under way yet.
     *
     * @param links by channel; those that move are replaced
     * @param remote the peer's address
     * @param ends the peer's ends, by channel
     * @param another makes one more link over the own port of a channel
     */
    Meeting(
            List<VerbsLink> links,
            VerbsAddress remote,
            List<Endpoint> ends,
            Retry retry,
            IntFunction<VerbsLink> another) {
        this.links = links;
        this.remote = remote;
        this.ends = new ArrayList<>(ends);
        this.retry = retry;
        this.another = another;
    }

    void connect() {
        for (int channel = 0; channel < links.size(); channel++) {
            connect(channel, channel);
        }
    }

    /** What is refused is a failure of the channels over the same two ports: each would wait as long again for an address. */
    private void connect(int channel, int via) {
        VerbsLink link = links.get(channel);
        Map.Entry<Port, RailAddress> ports = Map.entry(link.port(), remote.rail(via));
        if (!refused.containsKey(ports)) {
            try {
                link.connect(ports.getValue(), ends.get(channel), retry);
                return;
            } catch (VerbsException e) {
                refused.put(ports, e.getMessage());
            }
        }
        link.fail(refused.get(ports));
    }

    /** Null once all channels are proven, {@link #PENDING}, or the reason why they will not be. */
    String look() {
        return switch (state) {
            case PROVING -> prove();
            case AGREEING -> agree();
            case MOVING -> move();
        };
    }

    private String prove() {
        String failure = null;
        boolean undecided = false;
        for (int channel = 0; channel < links.size(); channel++) {
            VerbsLink link = links.get(channel);
            if (proven.get(channel)) {
                continue;
            }
            if (link.failure() == null && link.proven(ends.get(channel))) {
                proven.set(channel);
            } else if (link.failure() == null) {
                undecided = true;
            } else if (failure == null) {
                failure = link.failure();
            }
        }
        if (undecided || failure == null) {
            return undecided ? PENDING : null;
        }
        return proven.isEmpty() || detours != null ? failure : tell();
    }

    /** Says over each proven channel which ones are. */
    private String tell() {
        told = (BitSet) proven.clone();
        for (int channel : told.stream().toArray()) {
            say(channel, ByteBuffer.allocate(Long.BYTES).putLong(told.toLongArray()[0]), WHICH_WORK);
        }
        state = State.AGREEING;
        return PENDING;
    }

    /** Waits for the peer's word on all channels that both have proven, so that their lanes stand alike at both ends. */
    private String agree() {
        String failure = null;
        for (int channel : told.stream().filter(one -> !heard.get(one)).toArray()) {
            ByteBuffer word = hear(channel, Long.BYTES);
            if (word != null) {
                heard.set(channel);
                theirs = BitSet.valueOf(new long[] {word.getLong()});
            } else if (failure == null) {
                failure = links.get(channel).failure();
            }
        }
        BitSet both = (BitSet) told.clone();
        both.and(theirs);
        if (heard.isEmpty() || !heard.equals(both)) {
            return failure == null ? PENDING : failure;
        }
        detours = new Detours(links.size(), both);
        return detour();
    }

    private String detour() {
        int[] moved = detours.moved();
        ByteBuffer words = ByteBuffer.allocate(moved.length * Endpoint.BYTES);
        for (int channel : moved) {
            VerbsLink old = links.get(channel);
            leftOut.add("channel " + channel + ", "
                    + (old.failure() == null ? old.description() + ": the peer could not prove it" : old.failure()));
            old.close();
            links.set(channel, another.apply(detours.via(channel)));
            links.get(channel).self().write(words);
        }
        say(first(), words, NEW_ENDS);
        state = State.MOVING;
        return PENDING;
    }

    private String move() {
        int[] moved = detours.moved();
        ByteBuffer words = hear(first(), moved.length * Endpoint.BYTES);
        if (words == null) {
            String failure = links.get(first()).failure();
            return failure == null ? PENDING : failure;
        }
        proven.clear();
        proven.or(detours.working());
        for (int channel : moved) {
            ends.set(channel, Endpoint.read(words));
            connect(channel, detours.via(channel));
        }
        state = State.PROVING;
        return PENDING;
    }

    /** The channel over which ends are exchanged. */
    private int first() {
        return detours.working().nextSetBit(0);
    }

    /** Sends words over a channel and expects as many. */
    private void say(int channel, ByteBuffer words, long fingerprint) {
        VerbsLink link = links.get(channel);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(words.capacity()).copyFrom(MemorySegment.ofBuffer(words.rewind()));
            // The lane is empty: what it does not take has failed, and says so when it is asked for the peer's.
            link.send().offer(copy.address(), words.capacity(), fingerprint);
        }
        link.receive().expect(0, words.capacity(), fingerprint);
    }

    /** What the peer said over a channel, or null while it has not, or cannot any more. */
    private ByteBuffer hear(int channel, int bytes) {
        ReceiveLane lane = links.get(channel).receive();
        long address = lane.poll();
        if (address == ReceiveLane.MISMATCH) {
            links.get(channel).fail("the peer says something else than which of its ports reach this rank");
        }
        if (address <= 0) {
            return null;
        }
        byte[] words = NativeMemory.segment(address, bytes).toArray(ValueLayout.JAVA_BYTE);
        lane.release();
        return ByteBuffer.wrap(words);
    }

    /** What is waited for, in words. */
    String waitsFor() {
        if (state != State.PROVING) {
            return "the peer has not said which of its ports reach this rank";
        }
        int open = proven.nextClearBit(0);
        return links.get(Math.min(open, links.size() - 1)).waitsFor();
    }

    /** The channels that do not go over their own ports, and why; none as a rule. */
    List<String> leftOut() {
        return leftOut;
    }
}
