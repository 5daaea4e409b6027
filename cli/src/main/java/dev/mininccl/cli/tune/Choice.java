package dev.mininccl.cli.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Picks for each size the quickest way, and makes the rows of a tuning file of that. */
final class Choice {

    /** So much quicker a way must be to replace the one that is in force: less may be chance. */
    private static final double MARGIN = 0.97;

    private Choice() {}

    /** One row, with what was measured at its largest size. */
    private record Row(long limit, Candidate way, double micros, double shipped) {}

    /**
     * The lines of a section, or none where nothing beats the built-in table.
     *
     * @param shipped the built-in table, measured at all sizes
     * @param others what else was measured
     */
    static List<String> rows(Candidate shipped, List<Candidate> others) {
        List<Row> rows = new ArrayList<>();
        Candidate before = shipped;
        for (Map.Entry<Long, Double> size : shipped.micros().entrySet()) {
            long bytes = size.getKey();
            Candidate best = best(before, shipped, others, bytes);
            Row row = new Row(bytes, best, best.micros().get(bytes), size.getValue());
            if (!rows.isEmpty() && rows.getLast().way.equals(best)) {
                rows.removeLast();
            }
            rows.add(row);
            before = best;
        }
        if (!rows.isEmpty() && rows.getLast().way.isShipped()) {
            rows.removeLast();
        }
        return rows.stream().map(Choice::line).toList();
    }

    /** What served the size before, if the best is not clearly quicker; then the built-in table, likewise; then the best. */
    private static Candidate best(Candidate before, Candidate shipped, List<Candidate> others, long bytes) {
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

    private static String line(Row row) {
        String text = row.limit + " " + row.way.way();
        return row.way.isShipped()
                ? text
                : String.format(Locale.ROOT, "%-40s # %.2f us, shipped %.2f", text, row.micros, row.shipped);
    }
}
