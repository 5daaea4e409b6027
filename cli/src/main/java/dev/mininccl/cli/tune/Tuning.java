package dev.mininccl.cli.tune;

import dev.mininccl.core.tuning.TuningFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
        Choice choice = new Choice(shipped, subject.candidates());
        if (choice.changesNothing()) {
            say(subject.section() + ": the built-in table is as quick everywhere");
        } else {
            confirm(subject, choice);
        }
    }

    /** Looks once more, in turns with the built-in table: that the rows load and give right results, and which are worth it. */
    private void confirm(Subject subject, Choice choice) throws IOException, InterruptedException {
        say(subject.section() + ": confirming");
        Trial.Outcome again = again(subject, section(subject, choice));
        Trial.Outcome builtIn = again(subject, null);
        if (again.medians().isEmpty() || builtIn.medians().isEmpty()) {
            say(subject.section() + ": left out, could not be confirmed: " + again.failure() + builtIn.failure());
            return;
        }
        choice.confirm(again.medians(), builtIn.medians());
        if (choice.changesNothing()) {
            say(subject.section() + ": nothing was confirmed, the built-in table stays");
            return;
        }
        say(String.format(
                Locale.ROOT,
                "%s: %.2f of the built-in table's times where it differs",
                subject.section(),
                choice.gain(again.medians(), builtIn.medians())));
        sections.add(section(subject, choice));
    }

    private Trial.Outcome again(Subject subject, String section) throws IOException, InterruptedException {
        String table = section == null ? null : TuningFile.HEADER + "\n" + section;
        return trial.run(table, subject.perf(), subject.from(), subject.to(), Math.max(30, left()));
    }

    private static String section(Subject subject, Choice choice) {
        return "[" + subject.section() + "]\n" + String.join("\n", choice.rows()) + "\n";
    }

    private long left() {
        return limitSeconds - (long) ((System.nanoTime() - start) / NANOS);
    }

    private void say(String text) {
        log.printf(Locale.ROOT, "tune %4.0f s  %s%n", (System.nanoTime() - start) / NANOS, text);
        log.flush();
    }
}
