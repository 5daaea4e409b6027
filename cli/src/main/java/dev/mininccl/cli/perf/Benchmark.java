package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.ArrayList;
import java.util.List;

/** One rank's part in a run: every type, operation, size and mode is checked, warmed up and timed. */
final class Benchmark {

    private final Run run;
    private final Plan plan;
    private final Workbench bench;
    private final Team team;
    private final List<Report> reports;
    private final Progress progress;
    private final WarmUp warmUp;
    private final Stopwatch stopwatch;

    Benchmark(Run run, Workbench bench, Team team, List<Report> reports, Progress progress) {
        this.run = run;
        this.plan = run.plan();
        this.bench = bench;
        this.team = team;
        this.reports = reports;
        this.progress = progress;
        this.warmUp = new WarmUp(plan.warmup(), team);
        this.stopwatch = new Stopwatch(plan.iterations(), plan.blocking(), team);
    }

    /** Runs to the end. All ranks call it together. */
    Summary run() {
        reports.forEach(report -> report.begin(run));
        List<Row> rows = new ArrayList<>();
        try (Verification verification = new Verification(plan, bench, team)) {
            for (DataType type : plan.types()) {
                for (ReduceOp op : plan.operations()) {
                    for (long size : plan.sizes()) {
                        Row row = measured(verification, type, op, size / type.bytes());
                        rows.add(row);
                        reports.forEach(report -> report.row(run, row));
                    }
                }
            }
        }
        progress.clear();
        Summary summary = Summary.of(run, rows);
        reports.forEach(report -> report.end(run, summary));
        return summary;
    }

    private Row measured(Verification verification, DataType type, ReduceOp op, long count) {
        Measurement[] modes = new Measurement[2];
        for (boolean inPlace : plan.modes()) {
            String what = type.label() + " " + op.label() + " " + ByteSize.text(count * type.bytes())
                    + (inPlace ? " in place: " : " out of place: ");
            Workbench.Operation operation = bench.prepare(inPlace, count, type, op);
            long wrong = plan.checks() == 0 ? Measurement.UNCHECKED : 0;
            for (int round = 0; round < plan.checks(); round++) {
                progress.show(what + "checking");
                wrong += verification.wrong(operation, inPlace, count, type, op, round);
            }
            progress.show(what + "warming up");
            double about = warmUp.settle(operation);
            progress.show(what + "timing");
            modes[inPlace ? 1 : 0] = stopwatch.measure(operation, about, wrong);
        }
        return new Row(type, op, count * type.bytes(), count, modes[0], modes[1]);
    }
}
