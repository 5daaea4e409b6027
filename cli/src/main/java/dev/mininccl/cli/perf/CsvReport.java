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
                new StringBuilder("bytes,count,type,op,inPlace,minUs,medianUs,p99Us,algbwGBs,busbwGBs,wrong");
        run.peers()
                .forEach(peer -> text.append(",NAMEMinUs,NAMEMedianUs,NAMEP99Us,NAMEBusbwGBs,NAMEWrong,NAMERatio"
                        .replace("NAME", peer.name())));
        text.append('\n');
        for (Row row : summary.rows()) {
            for (boolean inPlace : run.plan().modes()) {
                Measurement m = row.of(inPlace);
                text.append(String.format(
                        Locale.ROOT,
                        "%d,%d,%s,%s,%b,%.6g,%.6g,%.6g,%.6g,%.6g,%s",
                        row.bytes(),
                        row.count(),
                        row.type().label(),
                        Collectives.label(run.plan().collective(), row.op()),
                        inPlace,
                        m.minUs(),
                        m.medianUs(),
                        m.p99Us(),
                        m.algbwGBs(row.bytes()),
                        run.busbwGBs(row, m),
                        wrong(m)));
                row.peers().forEach(peer -> text.append(peer(run, m, peer, peer.of(inPlace))));
                text.append('\n');
            }
        }
        output.write(text.toString());
    }

    /** A peer's columns; empty where it has no such reduction. The last is our median over its. */
    private static String peer(Run run, Measurement ours, Row row, Measurement theirs) {
        return theirs == null
                ? ",,,,,,"
                : String.format(
                        Locale.ROOT,
                        ",%.6g,%.6g,%.6g,%.6g,%s,%.4f",
                        theirs.minUs(),
                        theirs.medianUs(),
                        theirs.p99Us(),
                        run.busbwGBs(row, theirs),
                        wrong(theirs),
                        Ratios.of(ours, theirs));
    }

    private static String wrong(Measurement m) {
        return m.wrong() == Measurement.UNCHECKED ? "" : Long.toString(m.wrong());
    }
}
