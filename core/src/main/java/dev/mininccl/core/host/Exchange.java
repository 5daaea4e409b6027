package dev.mininccl.core.host;

/**
 * One-shot all-reduce of two ranks whose message fits one slice: the same as {@link OneShot} does, in a straight line.
 * Here a microsecond is long, so nothing is looked up that set-up can know.
 */
final class Exchange extends PairAlgorithm {

    private final boolean first;

    /** For two ranks. */
    Exchange(Neighbours neighbours) {
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
        int ended = swap(step, waiter, step.in, (int) step.count * step.elementBytes, 0);
        if (ended != DONE) {
            return ended;
        }
        // In place the output overwrites the input: it must have left before.
        if (step.inPlace() && send.released() != send.offered()) {
            ended = drain(waiter);
            if (ended != DONE) {
                return ended;
            }
        }
        if (first) {
            step.reducer.reduceLast(step.in, came, step.out, (int) step.count);
        } else {
            step.reducer.reduceLast(came, step.in, step.out, (int) step.count);
        }
        receive.release();
        return drained(waiter, DONE);
    }
}
