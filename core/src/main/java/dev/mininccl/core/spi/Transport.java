package dev.mininccl.core.spi;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * One way to move slices between ranks. A transport knows no algorithm. The communicator brings it up in step with
 * all other ranks: {@link #address} of each is gathered, {@link #attach} tries the peers, the verdicts are gathered, and
 * where both sides of a pair reached each other both call {@link #link}; {@link #settled} follows once all ranks came so far.
 */
public interface Transport extends AutoCloseable {

    /**
     * The provider's name.
     *
     * @return lower case
     */
    String name();

    /**
     * What peers need in order to reach this rank.
     *
     * @return opaque bytes, at most 64 KiB, at least 1
     */
    byte[] address();

    /**
     * Tries to reach peers. All ranks call it at about the same time, so it may meet them (connect and accept).
     *
     * @param addresses one entry a rank; empty where that rank does not have this transport
     * @param wanted the peers to try, all with an address
     * @param deadline when to give up on those not reached
     * @return one entry a rank: {@code null} if reached or not wanted, otherwise the reason why not, one line
     */
    List<String> attach(List<byte[]> addresses, BitSet wanted, Deadline deadline);

    /**
     * The lanes to a peer that was reached from both sides. Called once for each peer and channel.
     *
     * @param peer the peer's rank
     * @param channel 0 to {@code channels - 1}
     * @return the link, closed by the caller before the transport
     */
    Link link(int peer, int channel);

    /** All ranks have attached: names that only served to meet (files, listening sockets) may go now. */
    default void settled() {}

    /**
     * Memory that peers can map, where this transport can provide it.
     *
     * @return empty by default
     */
    default Optional<Windows> windows() {
        return Optional.empty();
    }

    /**
     * Tells which memory the coming operation sends from, so that large slices may leave from where they lie. Called by the
     * thread that runs the operation, before it; holds until the next call. The segments' scopes are alive as long as the
     * operation runs; later they may end at any time.
     *
     * @param in the input; {@code null} where nobody vouches for its lifetime
     * @param out the output; {@code null} as for the input
     * @param bytes how many, from the beginning of each
     */
    default void announce(MemorySegment in, MemorySegment out, long bytes) {}

    /**
     * Gives back at once what it has registered of announced memory whose scope has ended: that memory is freed next. Called
     * between operations, by a thread whose turn it is.
     */
    default void withdraw() {}

    /**
     * The processors near the device that serves a channel, for the threads that work on its lanes.
     *
     * @param channel 0 to {@code channels - 1}
     * @return their numbers; none, as by default, where threads may stay anywhere
     */
    default BitSet near(int channel) {
        return new BitSet();
    }

    /**
     * What it has counted so far, for {@code explain()}.
     *
     * @return one line, empty where there is nothing to tell
     */
    default String metrics() {
        return "";
    }

    /** Idempotent, from any state, bounded in time, never throws. */
    @Override
    void close();
}
