package dev.mininccl.core.host;

import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/** What two ranks do in a straight line: swap one slice each. */
abstract class PairAlgorithm extends AbstractAlgorithm {

    /** Slices that lanes in shared memory put beside the flag. */
    private static final int IN_THE_FLAGS_LINE = 32;

    final int peer;
    final SendLane send;
    final ReceiveLane receive;
    /** Where the peer's slice lies once it has come. */
    long came;

    /** For two ranks. */
    PairAlgorithm(Neighbours neighbours) {
        super(neighbours);
        peer = 1 - rank;
        send = neighbours.send[peer];
        receive = neighbours.receive[peer];
    }

    /** Sends a slice and waits for the peer's, which is put where {@code destination} says unless that is 0. */
    final int swap(Step step, Waiter waiter, long address, int bytes, long destination) {
        while (!send.offer(address, bytes, step.fingerprint)) {
            if (!send.progress() && waiter.idle()) {
                return stopped(peer);
            }
        }
        receive.expect(destination, bytes, step.fingerprint);
        if (bytes <= IN_THE_FLAGS_LINE) {
            // A look that comes too early takes the line from the peer that is about to write it.
            Thread.onSpinWait();
        }
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
        return DONE;
    }

    /** Waits, as a rule for nothing, until what was sent may be overwritten; then it ended as given. */
    final int drained(Waiter waiter, int ended) {
        int draining = send.released() == send.offered() ? DONE : drain(waiter);
        return draining == DONE ? ended : draining;
    }
}
