package dev.mininccl.cli.tune;

import dev.mininccl.core.tuning.TuningFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures the candidates of one section after the other and collects the sections, within a limit of time. */
final class Tuning {

    private static final double NANOS = 1e9;

    private final Trial trial;
    private final PrintWriter log;
    private final long start = System.nanoTime();
    private final long limitSeconds;
    private final List<String> sections = new ArrayList<>();

    Tuning(Trial trial, PrintWriter log, long limitSeconds) {
        this.trial = trial;
        this.log = log;
        this.limitSeconds = limitSeconds;
    }

    /** The text of all sections so far; empty if the built-in tables are as quick everywhere. */
    String text() {
        return String.join("", sections);
    }

    /** One run with the built-in tables, to see what there is. */
    Trial.Outcome look(List<String> perf) throws IOException, InterruptedException {
        say("looking at the lanes");
        return trial.run(null, perf, 8, 8, left());
    }

    /** Measures a section and adds it. */
    void add(Subject subject) throws IOException, InterruptedException {
        Candidate shipped = Candidate.shipped(subject.from(), subject.to());
        List<Candidate> all = new ArrayList<>(List.of(shipped));
        all.addAll(subject.candidates());
        int runs = all.size() * subject.rounds();
        int run = 0;
        for (int round = 0; round < subject.rounds(); round++) {
            for (Candidate one : List.copyOf(all)) {
                run++;
                if (left() <= 0) {
                    say(subject.section() + ": out of time after " + (run - 1) + " of " + runs + " runs");
                    round = subject.rounds();
                    break;
                }
                say(subject.section() + ": " + one.way() + " (" + run + " of " + runs + ")");
                String table = one.isShipped() ? null : one.table(subject.section());
                Trial.Outcome outcome = trial.run(table, subject.perf(), one.from(), one.to(), left());
                one.add(outcome.medians());
                if (!outcome.failure().isEmpty()) {
                    say("  left out: " + outcome.failure());
                    all.remove(one);
                }
            }
        }
        List<String> rows = Choice.rows(shipped, subject.candidates());
        if (!rows.isEmpty()) {
            confirm(subject, shipped, "[" + subject.section() + "]\n" + String.join("\n", rows) + "\n");
        } else {
            say(subject.section() + ": the built-in table is as quick everywhere");
        }
    }

    /** Runs once with the new rows: that they load and give right results, and what they are worth. */
    private void confirm(Subject subject, Candidate shipped, String section) throws IOException, InterruptedException {
        say(subject.section() + ": confirming");
        Trial.Outcome outcome = trial.run(
                TuningFile.HEADER + "\n" + section, subject.perf(), subject.from(), subject.to(), Math.max(30, left()));
        if (!outcome.failure().isEmpty()) {
            say(subject.section() + ": left out, the new table failed: " + outcome.failure());
            return;
        }
        double sum = 0;
        for (Map.Entry<Long, Double> size : outcome.medians().entrySet()) {
            sum += Math.log(size.getValue() / shipped.micros().get(size.getKey()));
        }
        double mean = Math.exp(sum / outcome.medians().size());
        say(String.format(Locale.ROOT, "%s: %.2f of the built-in table's times", subject.section(), mean));
        sections.add(section);
    }

    private long left() {
        return limitSeconds - (long) ((System.nanoTime() - start) / NANOS);
    }

    private void say(String text) {
        log.printf(Locale.ROOT, "tune %4.0f s  %s%n", (System.nanoTime() - start) / NANOS, text);
        log.flush();
    }
}
