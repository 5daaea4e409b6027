package dev.mininccl.cli.perf;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats an operation until it is compiled: first as often as asked for, then by time until it has run often enough to be
 * compiled and the compilers of all ranks have been idle for two rounds. Between rounds the ranks sleep, for ranks that spin on all cores starve the compilers.
 */
final class WarmUp {

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long FIRST_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long STRETCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int LONGEST_STRETCH = 1_000;

    /** The compilers look at code that has run so often: before, their silence means nothing. */
    private static final int ENOUGH = 40_000;

    private static final double LONG_NANOS = 20_000;
    private static final int QUIET_ROUNDS = 2;
    private static final int QUIET_MILLIS = 1;

    private final int operations;
    private final Team team;
    private boolean first = true;

    WarmUp(int operations, Team team) {
        this.operations = operations;
        this.team = team;
    }

    /**
     * Warms up one operation. All ranks call it together.
     *
     * @return about how long it takes in ns, the same on all ranks; 0 where nothing was warmed up
     */
    double settle(Workbench.Operation operation) {
        if (operations == 0) {
            return 0;
        }
        double nanos = team.max(Math.max(1, (double) operation.run(operations) / operations))[0];
        double spent = nanos * operations;
        double limit = first ? FIRST_LIMIT_NANOS : LIMIT_NANOS;
        long done = operations;
        for (int quiet = 0; (quiet < QUIET_ROUNDS || done < ENOUGH) && spent < limit; ) {
            long compiled = Compilation.millis();
            for (double round = 0; round < ROUND_NANOS; ) {
                // A few at a time: where cores are short, the next may take a thousand times longer.
                int times = (int) Math.clamp(STRETCH_NANOS / nanos, 1, LONGEST_STRETCH);
                nanos = team.max(Math.max(1, (double) operation.run(times) / times))[0];
                round += nanos * times;
                done += times;
                spent += nanos * times;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            double worst = team.max((double) (Compilation.millis() - compiled))[0];
            quiet = worst <= QUIET_MILLIS ? quiet + 1 : 0;
            if (nanos > LONG_NANOS) {
                // Its loops are long enough to be compiled by themselves.
                done = ENOUGH;
            }
        }
        first = false;
        return nanos;
    }
}
