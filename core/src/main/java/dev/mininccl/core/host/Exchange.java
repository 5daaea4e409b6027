package dev.mininccl.core.host;

import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/**
 * One-shot all-reduce of two ranks whose message fits one slice: the same as {@link OneShot} does, in a straight line.
 * Here a microsecond is long, so nothing is looked up that set-up can know.
 */
final class Exchange extends AbstractAlgorithm {

    /** Slices that lanes in shared memory put beside the flag. */
    private static final int IN_THE_FLAGS_LINE = 32;

    private final int peer;
    private final SendLane send;
    private final ReceiveLane receive;
    private final boolean first;

    /** For two ranks. */
    Exchange(Neighbours neighbours) {
        super(neighbours);
        peer = 1 - rank;
        send = neighbours.send[peer];
        receive = neighbours.receive[peer];
        first = rank == 0;
    }

    @Override
    public int run(Step step, Waiter waiter) {
        int bytes = (int) step.count * step.elementBytes;
        while (!step.ready(step.count)) {
            if (waiter.idle()) {
                return stopped(peer);
            }
        }
        while (!send.offer(step.in, bytes, step.fingerprint)) {
            if (!send.progress() && waiter.idle()) {
                return stopped(peer);
            }
        }
        receive.expect(0, bytes, step.fingerprint);
        if (bytes <= IN_THE_FLAGS_LINE) {
            // A look that comes too early takes the line from the peer that is about to write it.
            Thread.onSpinWait();
        }
        long came = receive.poll();
        while (!isAddress(came)) {
            if (came != ReceiveLane.NOTHING) {
                return failed(peer, came);
            }
            if (!send.progress() && waiter.idle()) {
                return stopped(peer);
            }
            came = receive.poll();
        }
        // In place the output overwrites the input: it must have left before.
        if (step.in == step.out && send.released() != send.offered()) {
            int ended = drain(waiter);
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
        return send.released() == send.offered() ? DONE : drain(waiter);
    }
}
