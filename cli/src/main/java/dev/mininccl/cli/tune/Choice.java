package dev.mininccl.cli.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** For each size the way that serves it: the quickest that is clearly quicker than the built-in table's. */
final class Choice {

    /** So much quicker a way must be to replace the one that is in force: less may be chance. */
    private static final double MARGIN = 0.95;

    private final Candidate shipped;
    private final TreeMap<Long, Candidate> bySize = new TreeMap<>();

    /**
     * Chooses.
     *
     * @param shipped the built-in table, measured at all sizes
     * @param others what else was measured
     */
    Choice(Candidate shipped, List<Candidate> others) {
        this.shipped = shipped;
        Candidate before = shipped;
        for (long bytes : shipped.micros().keySet()) {
            before = best(before, others, bytes);
            bySize.put(bytes, before);
        }
    }

    /** What served the size before, if the best is not clearly quicker; then the built-in table, likewise; then the best. */
    private Candidate best(Candidate before, List<Candidate> others, long bytes) {
        Candidate best = shipped;
        for (Candidate one : others) {
            if (micros(one, bytes) < micros(best, bytes)) {
                best = one;
            }
        }
        double least = micros(best, bytes);
        if (least >= MARGIN * micros(shipped, bytes)) {
            return shipped;
        }
        return least >= MARGIN * micros(before, bytes) ? before : best;
    }

    private static double micros(Candidate one, long bytes) {
        return one.micros().getOrDefault(bytes, Double.POSITIVE_INFINITY);
    }

    /** Whether the built-in table serves all sizes. */
    boolean changesNothing() {
        return bySize.values().stream().allMatch(Candidate::isShipped);
    }

    /**
     * Takes back what a second look did not bear out.
     *
     * @param again medians in µs with these choices
     * @param builtIn the same with the built-in table
     */
    void confirm(Map<Long, Double> again, Map<Long, Double> builtIn) {
        bySize.replaceAll((bytes, way) -> {
            double now = again.getOrDefault(bytes, Double.POSITIVE_INFINITY);
            return now < MARGIN * builtIn.getOrDefault(bytes, 0.0) ? way : shipped;
        });
    }

    /** The geometric mean of times with these choices over the built-in table's, of the sizes that they change. */
    double gain(Map<Long, Double> again, Map<Long, Double> builtIn) {
        return Math.exp(bySize.entrySet().stream()
                .filter(size -> !size.getValue().isShipped())
                .mapToDouble(size -> Math.log(again.get(size.getKey()) / builtIn.get(size.getKey())))
                .average()
                .orElse(0));
    }

    /** The rows of a section; none where the built-in table serves all sizes. */
    List<String> rows() {
        List<String> rows = new ArrayList<>();
        for (Map.Entry<Long, Candidate> size : bySize.entrySet()) {
            Map.Entry<Long, Candidate> next = bySize.higherEntry(size.getKey());
            boolean last = next == null;
            Candidate way = size.getValue();
            if (last ? !way.isShipped() : !way.equals(next.getValue())) {
                rows.add(row(size.getKey(), way));
            }
        }
        return rows;
    }

    private String row(long limit, Candidate way) {
        String text = limit + " " + way.way();
        return way.isShipped()
                ? text
                : String.format(
                        Locale.ROOT, "%-40s # %.2f us, shipped %.2f", text, micros(way, limit), micros(shipped, limit));
    }
}
