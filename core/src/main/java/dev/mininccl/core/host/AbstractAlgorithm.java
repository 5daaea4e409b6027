package dev.mininccl.core.host;

import dev.mininccl.core.spi.ReceiveLane;

/** What the algorithms share: their lanes, and how they end. */
abstract class AbstractAlgorithm implements Algorithm {

    final Neighbours neighbours;
    final int rank;
    final int ranks;
    int culprit = -1;

    AbstractAlgorithm(Neighbours neighbours) {
        this.neighbours = neighbours;
        this.rank = neighbours.rank;
        this.ranks = neighbours.ranks;
    }

    @Override
    public final int culprit() {
        return culprit;
    }

    /** The ending for a poll that gave no address. */
    final int failed(int peer, long polled) {
        culprit = peer;
        return polled == ReceiveLane.MISMATCH ? MISMATCHED : BROKEN;
    }

    /** The ending for a waiter that says stop while a peer keeps this rank waiting. */
    final int stopped(int peer) {
        int failed = neighbours.failed();
        if (failed >= 0) {
            return failed(failed, ReceiveLane.FAILED);
        }
        culprit = peer;
        return STOPPED;
    }

    /** Waits until the caller may overwrite what was offered. */
    final int drain(Waiter waiter) {
        for (int peer = neighbours.undrained(); peer >= 0; peer = neighbours.undrained()) {
            if (neighbours.progress()) {
                waiter.moved();
            } else if (waiter.idle()) {
                return stopped(peer);
            }
        }
        return DONE;
    }

    /** Whether a polled value is an address. */
    static boolean isAddress(long polled) {
        return polled > 0 || polled < ReceiveLane.FAILED;
    }
}
