package dev.mininccl.core.host;

import dev.mininccl.core.schedule.OwnerSchedule;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.lang.foreign.Arena;

/**
 * Two ranks on memory that both have mapped: the same as {@link WindowTwoShot} does, in a straight line, as two short
 * messages are most of the time of a small one.
 */
final class WindowExchange extends AbstractAlgorithm {

    private static final int DONE_BYTES = 8;

    private final WindowMessage message;
    private final int peer;
    private final SendLane send;
    private final ReceiveLane receive;
    /** Where the peer's last message lies. */
    private long came;

    WindowExchange(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours);
        message = new WindowMessage(windows, arena);
        peer = 1 - rank;
        send = neighbours.send[peer];
        receive = neighbours.receive[peer];
    }

    @Override
    public int run(Step step, Waiter waiter) {
        boolean registered = message.describe(step);
        int ended = swap(step, waiter, WindowMessage.BYTES);
        if (ended != DONE) {
            return ended;
        }
        registered &= message.read(came, peer);
        receive.release();
        if (!registered) {
            return drained(waiter, DECLINED);
        }
        reducePart(step);
        ended = swap(step, waiter, DONE_BYTES);
        if (ended != DONE) {
            return ended;
        }
        receive.release();
        return drained(waiter, DONE);
    }

    /** Sends the message's first bytes and waits for the peer's. */
    private int swap(Step step, Waiter waiter, int bytes) {
        while (!send.offer(message.address(), bytes, step.fingerprint)) {
            if (!send.progress() && waiter.idle()) {
                return stopped(peer);
            }
        }
        receive.expect(0, bytes, step.fingerprint);
        came = receive.poll();
        while (!isAddress(came)) {
            if (came != ReceiveLane.NOTHING) {
                return failed(peer, came);
            }
            if (!send.progress() && waiter.idle()) {
                return stopped(peer);
            }
            came = receive.poll();
        }
        waiter.moved();
        return DONE;
    }

    private int drained(Waiter waiter, int ended) {
        int draining = send.released() == send.offered() ? DONE : drain(waiter);
        return draining == DONE ? ended : draining;
    }

    private void reducePart(Step step) {
        boolean first = rank == 0;
        long end = OwnerSchedule.start(step.count, 2, rank + 1);
        int block = WindowTwoShot.BLOCK_BYTES / step.elementBytes;
        for (long start = OwnerSchedule.start(step.count, 2, rank); start < end; start += block) {
            long offset = start * step.elementBytes;
            int count = (int) Math.min(block, end - start);
            // In the ranks' order, so that both halves are computed alike.
            step.reducer.reduceLastTwice(
                    (first ? step.in : message.in) + offset,
                    (first ? message.in : step.in) + offset,
                    (first ? step.out : message.out) + offset,
                    (first ? message.out : step.out) + offset,
                    count);
        }
    }
}
