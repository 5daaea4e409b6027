package dev.mininccl.core.host;

/** When an operation that stands still is given up. */
@FunctionalInterface
public interface Patience {

    /**
     * Asked now and then while nothing moves.
     *
     * @param sinceNanos when something last moved, a {@link System#nanoTime()} value
     * @param nowNanos the time
     * @return true to give up
     */
    boolean exhausted(long sinceNanos, long nowNanos);
}
