package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;

/** All-gather and reduce-scatter of two ranks whose part fits one slice: the same as {@link TwoShot} does, in a straight line. */
final class PairHalves extends PairAlgorithm {

    private final boolean first;

    /** For two ranks. */
    PairHalves(Neighbours neighbours) {
        super(neighbours);
        first = rank == 0;
    }

    @Override
    public int run(Step step, Waiter waiter) {
        while (!step.ready(step.count)) {
            if (waiter.idle()) {
                return stopped(peer);
            }
        }
        int bytes = (int) step.count * step.elementBytes;
        long mine = rank * step.strideBytes();
        long theirs = peer * step.strideBytes();
        boolean reduces = step.collective.reduces();
        int ended = reduces
                ? swap(step, waiter, step.in + theirs, bytes, 0)
                : swap(step, waiter, step.in + mine, bytes, step.out + theirs);
        if (ended != DONE) {
            return ended;
        }
        if (reduces) {
            long own = step.in + mine;
            // In the ranks' order.
            step.reducer.reduceLast(first ? own : came, first ? came : own, step.out + mine, (int) step.count);
        } else if (!step.inPlace()) {
            NativeMemory.copy(step.in + mine, step.out + mine, bytes);
        }
        receive.release();
        return drained(waiter, DONE);
    }
}
