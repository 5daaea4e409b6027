package dev.mininccl.cli.perf;

import java.util.Locale;

/** One line a size and mode, under one line of names. Times are µs, bandwidths 10^9 bytes a second. */
final class CsvReport implements Report {

    private final Output output;

    CsvReport(Output output) {
        this.output = output;
    }

    @Override
    public void end(Run run, Summary summary) {
        StringBuilder text =
                new StringBuilder("bytes,count,type,op,inPlace,minUs,medianUs,p99Us,algbwGBs,busbwGBs,wrong\n");
        for (Row row : summary.rows()) {
            for (boolean inPlace : run.plan().modes()) {
                Measurement m = row.of(inPlace);
                text.append(String.format(
                        Locale.ROOT,
                        "%d,%d,%s,%s,%b,%.6g,%.6g,%.6g,%.6g,%.6g,%s%n",
                        row.bytes(),
                        row.count(),
                        row.type().label(),
                        row.op().label(),
                        inPlace,
                        m.minUs(),
                        m.medianUs(),
                        m.p99Us(),
                        m.algbwGBs(row.bytes()),
                        run.busbwGBs(row, m),
                        m.wrong() == Measurement.UNCHECKED ? "" : m.wrong()));
            }
        }
        output.write(text.toString());
    }
}
