package dev.mininccl.core.host;

import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/** The lanes of one channel to all other ranks, by rank; those of the rank itself are {@code null}. */
final class Neighbours {

    final int rank;
    final int ranks;
    final SendLane[] send;
    final ReceiveLane[] receive;

    Neighbours(int rank, Link[] links) {
        this.rank = rank;
        this.ranks = links.length;
        this.send = new SendLane[ranks];
        this.receive = new ReceiveLane[ranks];
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                send[peer] = links[peer].send();
                receive[peer] = links[peer].receive();
            }
        }
    }

    /** Hands over a slice the way the step says. */
    boolean offer(Step step, int peer, long address, int bytes) {
        SendLane lane = send[peer];
        return (step.byReference && bytes > 0)
                ? lane.offerReference(address, bytes, step.fingerprint)
                : lane.offer(address, bytes, step.fingerprint);
    }

    /** Moves what waits in all lanes. */
    boolean progress() {
        boolean moved = false;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                moved |= send[peer].progress();
            }
        }
        return moved;
    }

    /** The lowest peer whose lanes have failed, or -1. */
    int failed() {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && receive[peer].failure() != null) {
                return peer;
            }
        }
        return -1;
    }

    /** The lowest peer for which something offered must not be overwritten yet, or -1. */
    int undrained() {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && send[peer].released() != send[peer].offered()) {
                return peer;
            }
        }
        return -1;
    }
}
