package dev.mininccl.cli.perf;

import dev.mininccl.cli.perf.Rivals.Rival;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank's part in a run: every type, operation, size and mode is checked, warmed up and timed, ours and then the other libraries'
 * before the next size.
 */
final class Benchmark {

    private final Run run;
    private final Plan plan;
    private final Workbench bench;
    private final Team team;
    private final List<Report> reports;
    private final Progress progress;
    private final WarmUp warmUp;
    private final List<Contestant> peers = new ArrayList<>();
    private final Stopwatch stopwatch;

    Benchmark(Run run, Workbench bench, List<Rival> rivals, Team team, List<Report> reports, Progress progress) {
        this.run = run;
        this.plan = run.plan();
        this.bench = bench;
        this.team = team;
        this.reports = reports;
        this.progress = progress;
        this.warmUp = new WarmUp(plan.warmup(), team);
        this.stopwatch = new Stopwatch(plan.iterations(), plan.blocking(), team);
        rivals.forEach(rival -> peers.add(new Contestant(rival, new WarmUp(plan.warmup(), team))));
    }

    /** A peer, warmed up by itself. */
    private record Contestant(Rival rival, WarmUp warmUp) {}

    /** What is measured next. */
    private record Case(boolean inPlace, long bytes, long count, DataType type, ReduceOp op) {
        String label() {
            return type.label() + " " + op.label() + " " + ByteSize.text(bytes)
                    + (inPlace ? " in place" : " out of place");
        }
    }

    /** Runs to the end. All ranks call it together. */
    Summary run() {
        reports.forEach(report -> report.begin(run));
        List<Row> rows = new ArrayList<>();
        try (Verification verification = new Verification(plan, bench, team)) {
            for (DataType type : plan.types()) {
                for (ReduceOp op : operations()) {
                    for (long size : plan.sizes()) {
                        Row row = measured(verification, type, op, size / type.bytes() / parts());
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

    /** Where nothing is reduced, one of no meaning. */
    private List<ReduceOp> operations() {
        return plan.collective().reduces() ? plan.operations() : List.of(ReduceOp.SUM);
    }

    private int parts() {
        return plan.collective().parts(team.size());
    }

    private Row measured(Verification verification, DataType type, ReduceOp op, long count) {
        long bytes = parts() * count * type.bytes();
        Measurement[][] results = new Measurement[1 + peers.size()][2];
        for (boolean inPlace : plan.modes()) {
            Case one = new Case(inPlace, bytes, count, type, op);
            int mode = inPlace ? 1 : 0;
            results[0][mode] = measured(verification, one, bench.prepare(inPlace, count, type, op), warmUp, "");
            for (int i = 0; i < peers.size(); i++) {
                results[i + 1][mode] = measured(verification, one, peers.get(i));
            }
        }
        List<Row> theirs = new ArrayList<>();
        for (int i = 1; i < results.length; i++) {
            theirs.add(new Row(type, op, bytes, count, results[i][0], results[i][1]));
        }
        return new Row(type, op, bytes, count, results[0][0], results[0][1], theirs);
    }

    private Measurement measured(Verification verification, Case one, Contestant peer) {
        if (!peer.rival.peer().supports(one.type, one.op)) {
            return null;
        }
        Workbench.Operation operation = bench.prepare(peer.rival.peer(), one.inPlace, one.count, one.type, one.op);
        return measured(verification, one, operation, peer.warmUp, " by " + peer.rival.name());
    }

    private Measurement measured(
            Verification verification, Case one, Workbench.Operation prepared, WarmUp warmUp, String who) {
        try (Workbench.Operation operation = prepared) {
            String what = one.label() + who + ": ";
            long wrong = plan.checks() == 0 ? Measurement.UNCHECKED : 0;
            for (int round = 0; round < plan.checks(); round++) {
                progress.show(what + "checking");
                wrong += verification.wrong(operation, one.inPlace, one.count, one.type, one.op, round);
            }
            progress.show(what + "warming up");
            double about = warmUp.settle(operation);
            progress.show(what + "timing");
            return stopwatch.measure(operation, about, wrong);
        }
    }
}
