package dev.mininccl.cli.perf;

import java.util.List;

/**
 * All rows of a run and what they come to.
 *
 * @param rows in the order measured
 * @param wrong wrong elements, or {@link Measurement#UNCHECKED}
 * @param averageBusbwGBs mean over all measurements, as nccl-tests computes it
 */
record Summary(List<Row> rows, long wrong, double averageBusbwGBs) {

    static Summary of(Run run, List<Row> rows) {
        long wrong = 0;
        double sum = 0;
        int measurements = 0;
        for (Row row : rows) {
            wrong += row.wrong();
            for (boolean inPlace : run.plan().modes()) {
                Measurement measurement = row.of(inPlace);
                sum += run.busbwGBs(row, measurement);
                measurements++;
            }
        }
        return new Summary(
                List.copyOf(rows), run.plan().checks() == 0 ? Measurement.UNCHECKED : wrong, sum / measurements);
    }

    /** The line that closes the table. */
    String verdict() {
        if (wrong == Measurement.UNCHECKED) {
            return "Result: [PASS] (results not checked, -c 0)";
        }
        return wrong == 0 ? "Result: [PASS]" : "Result: [FAIL]";
    }
}
