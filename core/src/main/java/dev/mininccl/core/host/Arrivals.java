package dev.mininccl.core.host;

import dev.mininccl.core.spi.ReceiveLane;

/** Collects the same slice from all peers, so that it can be reduced in rank order. */
final class Arrivals {

    private final Neighbours neighbours;
    /** Where each rank's slice lies; 0 while it has not come. */
    final long[] at;

    private int missing;

    Arrivals(Neighbours neighbours) {
        this.neighbours = neighbours;
        this.at = new long[neighbours.ranks];
    }

    /** Expects a slice from every peer; this rank's own lies in its input. */
    void expect(long own, int bytes, long fingerprint) {
        for (int peer = 0; peer < neighbours.ranks; peer++) {
            at[peer] = 0;
            if (peer != neighbours.rank) {
                neighbours.receive[peer].expect(0, bytes, fingerprint);
            }
        }
        at[neighbours.rank] = own;
        missing = neighbours.ranks - 1;
    }

    boolean complete() {
        return missing == 0;
    }

    /** The lowest rank whose slice has not come. */
    int awaited() {
        for (int peer = 0; peer < at.length; peer++) {
            if (at[peer] == 0) {
                return peer;
            }
        }
        return -1;
    }

    /**
     * Looks at the lanes that are still awaited.
     *
     * @return 1 if something came, 0 if not; otherwise what {@code poll} said, with {@link #awaited()} set to the peer
     */
    long poll() {
        long moved = 0;
        for (int peer = 0; peer < at.length; peer++) {
            if (at[peer] == 0) {
                long polled = neighbours.receive[peer].poll();
                if (AbstractAlgorithm.isAddress(polled)) {
                    at[peer] = polled;
                    missing--;
                    moved = 1;
                } else if (polled != ReceiveLane.NOTHING) {
                    return polled;
                }
            }
        }
        return moved;
    }

    void release() {
        for (int peer = 0; peer < at.length; peer++) {
            if (peer != neighbours.rank) {
                neighbours.receive[peer].release();
            }
        }
    }
}
