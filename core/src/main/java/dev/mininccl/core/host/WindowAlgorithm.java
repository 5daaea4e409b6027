package dev.mininccl.core.host;

import java.lang.foreign.Arena;

/**
 * An operation on memory that all ranks have mapped, with no slot in between. Two short messages fence it: where everyone's buffers
 * lie, and that everyone is done.
 */
abstract class WindowAlgorithm extends AbstractAlgorithm {

    /** Elements are worked off in blocks of this size, so that what is read or written again comes from cache. */
    static final int BLOCK_BYTES = 64 << 10;

    private static final int DONE_BYTES = 8;

    /** Where each rank's buffers lie in this process. */
    final long[] in;

    final long[] out;

    private final WindowMessage message;
    private final Arrivals arrivals;
    private boolean allRegistered;

    WindowAlgorithm(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours);
        this.message = new WindowMessage(rank, windows, arena);
        this.arrivals = new Arrivals(neighbours);
        this.in = new long[ranks];
        this.out = new long[ranks];
    }

    /** What this rank has to do while all buffers are open to all. */
    abstract void move(Step step);

    @Override
    public final int run(Step step, Waiter waiter) {
        allRegistered = message.describe(step);
        in[rank] = step.inputStart(step.in, rank);
        out[rank] = step.out;
        int ended = exchange(step, waiter, WindowMessage.BYTES);
        if (ended != DONE) {
            return ended;
        }
        if (!allRegistered) {
            return DECLINED;
        }
        move(step);
        return exchange(step, waiter, DONE_BYTES);
    }

    /** Sends a message to all peers and receives theirs. */
    private int exchange(Step step, Waiter waiter, int bytes) {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                while (!neighbours.send[peer].offer(message.address(), bytes, step.fingerprint)) {
                    neighbours.progress();
                    if (waiter.idle()) {
                        return stopped(peer);
                    }
                }
            }
        }
        arrivals.expect(message.address(), bytes, step.fingerprint);
        while (!arrivals.complete()) {
            long polled = arrivals.poll();
            if (polled < 0) {
                return failed(arrivals.awaited(), polled);
            }
            if (polled == 0 && !neighbours.progress() && waiter.idle()) {
                return stopped(arrivals.awaited());
            }
        }
        waiter.moved();
        if (bytes == WindowMessage.BYTES) {
            readPeers(step);
        }
        arrivals.release();
        return drain(waiter);
    }

    private void readPeers(Step step) {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                allRegistered &= message.read(arrivals.at[peer], peer, step.inputExtent());
                in[peer] = message.in;
                out[peer] = message.out;
            }
        }
    }
}
