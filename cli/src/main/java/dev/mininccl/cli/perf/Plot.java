package dev.mininccl.cli.perf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;

/** An SVG picture with two panels: bus bandwidth and time over size. */
final class Plot implements Report {

    private static final int WIDTH = 760;
    private static final int PANEL = 300;

    private final Output output;

    Plot(Output output) {
        this.output = output;
    }

    @Override
    public void end(Run run, Summary summary) {
        String title = run.plan().collective().label() + ", " + run.ranks() + " ranks, " + run.memory() + " memory, "
                + run.transport() + ", " + run.plan().typeLabel() + " "
                + run.plan().operationLabel();
        Svg svg = new Svg(WIDTH, 40 + 2 * PANEL);
        svg.text(WIDTH / 2.0, 24, "middle", title);
        new LogChart("bus bandwidth (GB/s)", series(run, summary, run::busbwGBs)).draw(svg, 30, WIDTH, PANEL);
        new LogChart("time (µs)", series(run, summary, (row, measurement) -> measurement.medianUs()))
                .draw(svg, 30 + PANEL, WIDTH, PANEL);
        output.write(svg.toString());
    }

    /** A line of points for each type, operation and mode; points that a log axis cannot show are left out. */
    private static Map<String, List<double[]>> series(
            Run run, Summary summary, ToDoubleBiFunction<Row, Measurement> value) {
        Map<String, List<double[]>> series = new LinkedHashMap<>();
        for (Row row : summary.rows()) {
            for (boolean inPlace : run.plan().modes()) {
                add(series, name(run, row, inPlace), row, row.of(inPlace), value);
                for (int peer = 0; peer < run.peers().size(); peer++) {
                    Row theirs = row.peers().get(peer);
                    String name = run.peers().get(peer).name() + " " + name(run, row, inPlace);
                    add(series, name, theirs, theirs.of(inPlace), value);
                }
            }
        }
        return series;
    }

    private static void add(
            Map<String, List<double[]>> series,
            String name,
            Row row,
            Measurement measurement,
            ToDoubleBiFunction<Row, Measurement> value) {
        double y = measurement == null ? 0 : value.applyAsDouble(row, measurement);
        if (row.bytes() > 0 && y > 0) {
            series.computeIfAbsent(name, any -> new ArrayList<>()).add(new double[] {row.bytes(), y});
        }
    }

    private static String name(Run run, Row row, boolean inPlace) {
        String mode = inPlace ? "in place" : "out of place";
        boolean several =
                run.plan().types().size() > 1 || run.plan().operations().size() > 1;
        return several
                ? row.type().label() + " " + Collectives.label(run.plan().collective(), row.op()) + " " + mode
                : mode;
    }
}
