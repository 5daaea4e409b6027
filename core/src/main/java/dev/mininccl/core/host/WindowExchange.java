package dev.mininccl.core.host;

import dev.mininccl.core.schedule.OwnerSchedule;
import java.lang.foreign.Arena;

/**
 * Two ranks on memory that both have mapped: the same as {@link WindowTwoShot} does, in a straight line, as two short
 * messages are most of the time of a small one.
 */
final class WindowExchange extends PairAlgorithm {

    private static final int DONE_BYTES = 8;

    private final WindowMessage message;

    WindowExchange(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours);
        message = new WindowMessage(rank, windows, arena);
    }

    @Override
    public int run(Step step, Waiter waiter) {
        boolean registered = message.describe(step);
        int ended = swap(step, waiter, message.address(), WindowMessage.BYTES, 0);
        if (ended != DONE) {
            return ended;
        }
        waiter.moved();
        registered &= message.read(came, peer, step.inputExtent());
        receive.release();
        if (!registered) {
            return drained(waiter, DECLINED);
        }
        reducePart(step);
        ended = swap(step, waiter, message.address(), DONE_BYTES, 0);
        if (ended != DONE) {
            return ended;
        }
        receive.release();
        return drained(waiter, DONE);
    }

    private void reducePart(Step step) {
        boolean first = rank == 0;
        long end = OwnerSchedule.start(step.count, 2, rank + 1);
        int block = WindowAlgorithm.BLOCK_BYTES / step.elementBytes;
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
