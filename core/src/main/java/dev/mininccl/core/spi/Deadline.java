package dev.mininccl.core.spi;

import java.time.Duration;

/**
 * A point in time after which a wait gives up. Every wait of this library has one.
 *
 * @param nanoTime the {@link System#nanoTime()} value at which the deadline passes
 */
public record Deadline(long nanoTime) {

    /**
     * The deadline that passes a given time from now.
     *
     * @param duration how long from now, more than zero
     * @return the deadline
     */
    public static Deadline after(Duration duration) {
        return afterNanos(duration.toNanos());
    }

    /**
     * The deadline that passes a given number of nanoseconds from now.
     *
     * @param nanos how long from now
     * @return the deadline
     */
    public static Deadline afterNanos(long nanos) {
        return new Deadline(System.nanoTime() + nanos);
    }

    /**
     * Tells whether the deadline has passed.
     *
     * @return true once it has
     */
    public boolean expired() {
        return nanoTime - System.nanoTime() <= 0;
    }

    /**
     * The time left, never negative.
     *
     * @return nanoseconds
     */
    public long remainingNanos() {
        return Math.max(0, nanoTime - System.nanoTime());
    }

    /**
     * The time left in milliseconds, rounded up so that a wait of this length does not end early; never negative.
     *
     * @return milliseconds
     */
    public long remainingMillis() {
        return (remainingNanos() + 999_999) / 1_000_000;
    }
}
