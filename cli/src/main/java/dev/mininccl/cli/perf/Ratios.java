package dev.mininccl.cli.perf;

import java.util.Locale;
import java.util.stream.DoubleStream;

/** Our times over a peer's, of all sizes and modes of a run. */
final class Ratios {

    private Ratios() {}

    /** Our median over the peer's, or NaN where one was not measured. */
    static double of(Measurement ours, Measurement theirs) {
        return ours == null || theirs == null ? Double.NaN : ours.medianUs() / theirs.medianUs();
    }

    /** A line of what all come to. */
    static String line(Run run, Summary summary, int peer) {
        double[] ratios = summary.rows().stream()
                .flatMapToDouble(row -> run.plan().modes().stream()
                        .mapToDouble(
                                mode -> of(row.of(mode), row.peers().get(peer).of(mode))))
                .filter(ratio -> ratio > 0)
                .toArray();
        String name = run.peers().get(peer).name();
        if (ratios.length == 0) {
            return name + " : nothing measured";
        }
        double mean = Math.exp(DoubleStream.of(ratios).map(Math::log).average().orElseThrow());
        return String.format(
                Locale.ROOT,
                "Time ours/%s : %.2f geometric mean, %.2f to %.2f",
                name,
                mean,
                DoubleStream.of(ratios).min().orElseThrow(),
                DoubleStream.of(ratios).max().orElseThrow());
    }
}
