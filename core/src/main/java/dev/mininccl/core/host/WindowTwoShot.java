package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.schedule.OwnerSchedule;
import java.lang.foreign.Arena;

/**
 * Two-shot all-reduce on memory that all ranks have mapped: the owner of a part reads all copies and stores the result to
 * all, with no slot in between. Only the owner reads or writes a part, so in place is safe. Two short messages fence it:
 * where everyone's buffers lie, and that everyone is done.
 */
final class WindowTwoShot extends AbstractAlgorithm {

    /** Elements are worked off in blocks of this size, so that copies to further ranks come from cache. */
    static final int BLOCK_BYTES = 64 << 10;

    private static final int DONE_BYTES = 8;

    private final WindowMessage message;
    private final Arrivals arrivals;
    private final long[] in;
    private final long[] out;
    private final long[] operands;
    private boolean allRegistered;

    WindowTwoShot(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours);
        this.message = new WindowMessage(windows, arena);
        this.arrivals = new Arrivals(neighbours);
        this.in = new long[ranks];
        this.out = new long[ranks];
        this.operands = new long[ranks];
    }

    @Override
    public int run(Step step, Waiter waiter) {
        allRegistered = message.describe(step);
        in[rank] = step.in;
        out[rank] = step.out;
        int ended = exchange(step, waiter, WindowMessage.BYTES);
        if (ended != DONE) {
            return ended;
        }
        if (!allRegistered) {
            return DECLINED;
        }
        reducePart(step);
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
            readPeers();
        }
        arrivals.release();
        return drain(waiter);
    }

    private void readPeers() {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                allRegistered &= message.read(arrivals.at[peer], peer);
                in[peer] = message.in;
                out[peer] = message.out;
            }
        }
    }

    private void reducePart(Step step) {
        long end = OwnerSchedule.start(step.count, ranks, rank + 1);
        int block = BLOCK_BYTES / step.elementBytes;
        for (long start = OwnerSchedule.start(step.count, ranks, rank); start < end; start += block) {
            reduceBlock(step, start * step.elementBytes, (int) Math.min(block, end - start));
        }
    }

    private void reduceBlock(Step step, long offset, int count) {
        for (int peer = 0; peer < ranks; peer++) {
            operands[peer] = in[peer] + offset;
        }
        step.reducer.reduceAll(operands, ranks, out[rank] + offset, count);
        long bytes = (long) count * step.elementBytes;
        for (int i = 1; i < ranks; i++) {
            NativeMemory.copy(out[rank] + offset, out[(rank + i) % ranks] + offset, bytes);
        }
    }
}
