package dev.mininccl.cli.perf;

import java.io.PrintStream;

/** What a rank other than 0 prints that somebody started by hand: that it works, and how it ended. */
final class Follower implements Report {

    private final PrintStream out;

    Follower(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(Run run) {
        out.println(
                "# mini-nccl " + run.version() + " " + run.plan().collective().label() + ": rank 0 shows the table");
        run.notes().forEach(note -> out.println("# " + note));
    }

    @Override
    public void end(Run run, Summary summary) {
        out.println(summary.verdict());
    }
}
