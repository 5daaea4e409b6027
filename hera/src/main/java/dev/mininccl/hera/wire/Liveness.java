package dev.mininccl.hera.wire;

import java.util.concurrent.TimeUnit;

/** How long the other side may be silent before it counts as dead. */
public final class Liveness {

    private static final int MISSED_HEARTBEATS = 5;

    /** Absorbs a busy machine where heartbeats are frequent. */
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private Liveness() {}

    /** The longest silence, for a side that speaks every {@code heartbeatMillis}. */
    public static long limitNanos(int heartbeatMillis) {
        return Math.max(LEAST_NANOS, MISSED_HEARTBEATS * TimeUnit.MILLISECONDS.toNanos(heartbeatMillis));
    }
}
