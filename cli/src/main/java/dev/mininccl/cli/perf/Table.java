package dev.mininccl.cli.perf;

import java.io.PrintStream;
import java.util.Locale;

/** nccl-tests' table. Comment lines begin with {@code #}; a row appears as soon as it is measured. */
final class Table implements Report {

    private static final String ROW = "%12d  %12d  %8s  %6s  %4d";
    private static final String CELL = "  %9s  %7s  %7s  %6s";
    private static final int CELL_WIDTH = 35;
    private static final String PEER = "  %9s  %5s";
    private static final int PEER_WIDTH = 18;

    private final PrintStream out;
    private final Progress progress;

    Table(PrintStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    @Override
    public void begin(Run run) {
        line("# mini-nccl " + run.version() + " " + run.plan().collective().label());
        run.notes().forEach(note -> line("# " + note));
        line("#");
        line("#" + " ".repeat(50) + modes(run, "out-of-place", "in-place"));
        StringBuilder cell = new StringBuilder(format(CELL, "time", "algbw", "busbw", "#wrong"));
        run.peers().forEach(peer -> cell.append(format(PEER, peer.name(), "ratio")));
        line("#" + format("%11s  %12s  %8s  %6s  %4s", "size", "count", "type", "redop", "root") + cell + cell);
        String units = format(CELL, "(us)", "(GB/s)", "(GB/s)", "")
                + format(PEER, "(us)", "").repeat(run.peers().size());
        line("#" + format("%11s  %12s  %8s  %6s  %4s", "(B)", "(elements)", "", "", "") + units + units);
    }

    @Override
    public void row(Run run, Row row) {
        line(format(
                        ROW,
                        row.bytes(),
                        row.count(),
                        row.type().label(),
                        Collectives.label(run.plan().collective(), row.op()),
                        -1)
                + cell(run, row, row.outOfPlace())
                + peers(row, false)
                + cell(run, row, row.inPlace())
                + peers(row, true));
    }

    @Override
    public void end(Run run, Summary summary) {
        if (summary.wrong() >= 0) {
            line("# Wrong elements : " + summary.wrong() + (summary.wrong() == 0 ? " OK" : " FAILED"));
        }
        line(format("# Avg bus bandwidth : %.4g", summary.averageBusbwGBs()));
        for (int peer = 0; peer < run.peers().size(); peer++) {
            line("# " + Ratios.line(run, summary, peer));
            int place = peer;
            long wrong = summary.rows().stream()
                    .map(row -> row.peers().get(place))
                    .mapToLong(row -> row.wrong())
                    .sum();
            if (wrong > 0) {
                line("# Wrong elements of " + run.peers().get(peer).name() + " : " + wrong
                        + ", so its times say little");
            }
        }
        line(summary.verdict());
    }

    private static String modes(Run run, String first, String second) {
        int width = CELL_WIDTH + PEER_WIDTH * run.peers().size();
        return "  " + centred(first, width) + "  " + centred(second, width);
    }

    /** Each peer's time, and ours over it. */
    private static String peers(Row row, boolean inPlace) {
        StringBuilder text = new StringBuilder();
        for (Row peer : row.peers()) {
            Measurement theirs = peer.of(inPlace);
            double ratio = Ratios.of(row.of(inPlace), theirs);
            text.append(
                    theirs == null
                            ? format(PEER, "-", "-")
                            : format(PEER, time(theirs.medianUs()), format("%.2f", ratio)));
        }
        return text.toString();
    }

    private static String cell(Run run, Row row, Measurement measurement) {
        if (measurement == null) {
            return format(CELL, "-", "-", "-", "-");
        }
        String wrong = measurement.wrong() == Measurement.UNCHECKED ? "N/A" : Long.toString(measurement.wrong());
        return format(
                CELL,
                time(measurement.medianUs()),
                format("%.2f", measurement.algbwGBs(row.bytes())),
                format("%.2f", run.busbwGBs(row, measurement)),
                wrong);
    }

    /** Microseconds with about four digits that count. */
    private static String time(double us) {
        return format(us < 10 ? "%.3f" : us < 100 ? "%.2f" : us < 10_000 ? "%.1f" : "%.0f", us);
    }

    private static String centred(String text, int width) {
        String left = " ".repeat((width - text.length()) / 2);
        return format("%-" + width + "s", left + text);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    private void line(String text) {
        out.println(progress.erasing() + text.stripTrailing());
        Output.requireWritten(out);
    }
}
