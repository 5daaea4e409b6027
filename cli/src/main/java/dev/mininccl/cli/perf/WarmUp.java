package dev.mininccl.cli.perf;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats an operation until it is compiled: first as often as asked for, then by time until the compilers of all ranks have
 * been idle for two rounds. Between rounds the ranks sleep, for ranks that spin on all cores starve the compilers.
 */
final class WarmUp {

    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long FIRST_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int QUIET_ROUNDS = 2;

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
        double nanos = team.max((double) operation.run(operations) / operations)[0];
        double spent = nanos * operations;
        double limit = first ? FIRST_LIMIT_NANOS : LIMIT_NANOS;
        for (int quiet = 0; quiet < QUIET_ROUNDS && spent < limit; ) {
            long compiled = Compilation.millis();
            int times = (int) Math.clamp(ROUND_NANOS / nanos, 1, 100_000);
            double mine = (double) operation.run(times) / times;
            LockSupport.parkNanos(PAUSE_NANOS);
            double[] worst = team.max(mine, (double) (Compilation.millis() - compiled));
            nanos = worst[0];
            spent += nanos * times + PAUSE_NANOS;
            quiet = worst[1] <= 1 ? quiet + 1 : 0;
        }
        first = false;
        return nanos;
    }
}
