package dev.mininccl.transport.verbs;

import java.util.function.LongSupplier;

/** Tells when requests have been unacknowledged for so long that the last packets may be lost. */
final class Nudge {

    static final long FIRST_NANOS = 20_000_000;
    static final long MOST_NANOS = 640_000_000;

    private final LongSupplier clock;
    private long posted;
    private long since;
    private long pause = FIRST_NANOS;

    Nudge(LongSupplier clock) {
        this.clock = clock;
    }

    /** Whether nothing was posted for a while, although not all that was is known to be done. */
    boolean due(long postedNow, long completed) {
        if (postedNow == completed) {
            return false;
        }
        long now = clock.getAsLong();
        if (postedNow != posted) {
            posted = postedNow;
            since = now;
            pause = FIRST_NANOS;
        }
        return now - since >= pause;
    }

    /** One was sent: the next comes after twice the time. */
    void sent(long postedNow) {
        posted = postedNow;
        since = clock.getAsLong();
        pause = Math.min(2 * pause, MOST_NANOS);
    }
}
