package dev.mininccl.core.host;

import dev.mininccl.core.spi.AbortFlag;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a host loop waits, and when it gives up: after {@value #FIRST_LOOK} idle turns, then every
 * {@value #LOOK_EVERY}, it looks at the abort flag, at its lanes and at the clock. The deadline is on standing still, so that a large operation over a slow link is not cut off while it moves.
 * Used by one thread at a time.
 */
public final class Waiter {

    /** No stop asked for. */
    static final int RUNNING = 0;

    /** The communicator was aborted. */
    static final int ABORTED = 1;

    /** The operation's deadline has passed. */
    static final int EXPIRED = 2;

    /** A lane has failed. */
    static final int BROKEN = 3;

    private static final int LOOK_EVERY = 1024;
    /** The first look comes sooner: standing still is counted from there, and where turns are slow that is late enough. */
    private static final int FIRST_LOOK = 256;

    /** About 20 us: where two ranks share a core after all, they soon take turns. */
    private static final int SPINS_ALONE = 1000;

    private static final int SPINS_CROWDED = 32;
    private static final long NAP_AFTER_NANOS = 20_000_000;
    private static final long NAP_NANOS = 50_000;
    private static final long STANDSTILL_NANOS = 1_000_000_000;

    private final AbortFlag abort;
    private final Patience patience;
    private final int spins;

    /** Of the lanes waited for: where only offers remain, no poll would tell. */
    private BooleanSupplier broken = () -> false;

    private int idle;
    private long since;
    private long looked;
    private long turns;
    private int stop;

    /**
     * Creates a waiter.
     *
     * @param abort ends every wait
     * @param patience tells for how long an operation may go without anything moving
     * @param crowded whether other ranks need this core: then yield soon
     */
    public Waiter(AbortFlag abort, Patience patience, boolean crowded) {
        this.abort = abort;
        this.patience = patience;
        this.spins = crowded ? SPINS_CROWDED : SPINS_ALONE;
    }

    /** Says how to see that a lane has failed. */
    void watch(BooleanSupplier failed) {
        broken = failed;
    }

    /** An operation begins. */
    void begin() {
        moved();
        stop = RUNNING;
    }

    /** Something moved: the deadline counts anew, and waiting begins with spinning. */
    void moved() {
        idle = 0;
        turns = LOOK_EVERY - FIRST_LOOK;
        since = 0;
    }

    /**
     * Nothing moved: spin, yield or nap.
     *
     * @return true if the loop must stop; {@link #stop()} tells why
     */
    boolean idle() {
        if (idle < spins) {
            idle++;
            turns++;
            Thread.onSpinWait();
        } else {
            // A yield is long against a spin: counted as many, so that abort and deadline are seen soon either way.
            turns += 16;
            Thread.yield();
        }
        return turns >= LOOK_EVERY && look();
    }

    int stop() {
        return stop;
    }

    private boolean look() {
        turns = 0;
        if (abort.raisedAcquire()) {
            stop = ABORTED;
            return true;
        }
        if (broken.getAsBoolean()) {
            stop = BROKEN;
            return true;
        }
        long now = System.nanoTime();
        if (since == 0) {
            since = now;
        } else if (now - looked > STANDSTILL_NANOS) {
            // Looks are milliseconds apart: this process was stopped, as its peers may have been. The rest does not
            // count.
            since += now - looked - STANDSTILL_NANOS;
        }
        looked = now;
        if (now - since > NAP_AFTER_NANOS) {
            LockSupport.parkNanos(NAP_NANOS);
        }
        if (patience.exhausted(since, now)) {
            stop = EXPIRED;
            return true;
        }
        return false;
    }
}
