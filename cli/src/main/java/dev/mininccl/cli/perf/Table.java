package dev.mininccl.cli.perf;

import java.io.PrintStream;
import java.util.Locale;

/** nccl-tests' table. Comment lines begin with {@code #}; a row appears as soon as it is measured. */
final class Table implements Report {

    private static final String ROW = "%12d  %12d  %8s  %6s  %4d";
    private static final String CELL = "  %9s  %7s  %7s  %6s";

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
        line("#" + " ".repeat(50) + "  " + centred("out-of-place", 35) + "  " + centred("in-place", 35));
        String cell = format(CELL, "time", "algbw", "busbw", "#wrong");
        line("#" + format("%11s  %12s  %8s  %6s  %4s", "size", "count", "type", "redop", "root") + cell + cell);
        String units = format(CELL, "(us)", "(GB/s)", "(GB/s)", "");
        line("#" + format("%11s  %12s  %8s  %6s  %4s", "(B)", "(elements)", "", "", "") + units + units);
    }

    @Override
    public void row(Run run, Row row) {
        line(format(ROW, row.bytes(), row.count(), row.type().label(), row.op().label(), -1)
                + cell(run, row, row.outOfPlace())
                + cell(run, row, row.inPlace()));
    }

    @Override
    public void end(Run run, Summary summary) {
        if (summary.wrong() >= 0) {
            line("# Wrong elements : " + summary.wrong() + (summary.wrong() == 0 ? " OK" : " FAILED"));
        }
        line(format("# Avg bus bandwidth : %.4g", summary.averageBusbwGBs()));
        line(summary.verdict());
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
        out.flush();
    }
}
