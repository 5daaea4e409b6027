package dev.mininccl.cli.perf;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Times an operation. An iteration is a batch of back-to-back operations, as many as let reading the clock vanish; it counts
 * with its time divided by the batch. When blocking, it is one operation after a barrier.
 */
final class Stopwatch {

    private static final double BATCH_NANOS = 200_000;
    private static final int LARGEST_BATCH = 1_000;
    private static final int TOO_LONG = 5;
    private static final long LONGEST_PICOS = TimeUnit.HOURS.toNanos(2) * 1_000;
    private static final int DIGITS = 3;
    private static final double PICOS_PER_MICRO = 1e6;

    private final int iterations;
    private final boolean blocking;
    private final Team team;
    private final Histogram picos = new Histogram(LONGEST_PICOS, DIGITS);

    Stopwatch(int iterations, boolean blocking, Team team) {
        this.iterations = iterations;
        this.blocking = blocking;
        this.team = team;
    }

    /**
     * Measures one operation. All ranks call it together.
     *
     * @param about the operation's time in ns as far as known, the same on all ranks, or 0
     * @param wrong what a check found
     * @return the worst rank's times
     */
    Measurement measure(Workbench.Operation operation, double about, long wrong) {
        int batch = blocking || about == 0 ? 1 : (int) Math.clamp(Math.ceil(BATCH_NANOS / about), 1, LARGEST_BATCH);
        picos.reset();
        team.barrier();
        for (int i = 0; i < iterations; i++) {
            if (blocking) {
                team.barrier();
            }
            long nanos = operation.run(batch);
            picos.recordValue(Math.clamp(nanos * 1_000 / batch, 1, LONGEST_PICOS));
            if (batch > 1) {
                batch = shortened(batch, team.max((double) nanos)[0]);
            }
        }
        double[] worst = team.max(micros(0), micros(50), micros(99));
        return new Measurement(worst[0], worst[1], worst[2], wrong);
    }

    /** Where cores are short, an operation can take a thousand times what the warm-up saw: then batches would last for ever. */
    private static int shortened(int batch, double nanos) {
        return nanos < TOO_LONG * BATCH_NANOS ? batch : (int) Math.max(1, batch * BATCH_NANOS / nanos);
    }

    private double micros(double percentile) {
        return picos.getValueAtPercentile(percentile) / PICOS_PER_MICRO;
    }
}
