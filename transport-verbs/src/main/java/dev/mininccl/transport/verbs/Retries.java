package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Retry;
import java.time.Duration;

/**
 * How often, and after how long, an unanswered packet is sent again. The count is 6, not 7, which Soft-RoCE takes as for
 * ever. The time follows the operation's deadline between bounds: long enough for a link that is down for a second, short
 * enough for a lost last packet, which nothing but this time-out notices, not to cost many seconds.
 */
final class Retries {

    private static final int COUNT = 6;

    /** 268 ms, together 1.9 s. */
    private static final int LEAST = 16;

    /** 1.07 s, together 7.5 s. */
    private static final int MOST = 18;

    private static final double UNIT_NANOS = 4096;

    private Retries() {}

    static Retry within(Duration timeout) {
        int exponent = LEAST;
        while (exponent < MOST && total(exponent) < timeout.toNanos()) {
            exponent++;
        }
        return new Retry(exponent, COUNT, COUNT);
    }

    /** Nanoseconds until the queue pair gives up; devices may take up to four times as long. */
    private static double total(int exponent) {
        return UNIT_NANOS * (1L << exponent) * (COUNT + 1);
    }
}
