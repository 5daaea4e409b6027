package dev.mininccl.cli.perf;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Where results go. */
final class OutputOptions {

    @Option(
            names = {"--json", "-J"},
            paramLabel = "FILE",
            description = "all results as one JSON object; -: on standard output, and the table on standard error")
    private String json;

    @Option(
            names = {"--csv", "-F"},
            paramLabel = "FILE",
            description = "all results as CSV; - as with --json")
    private String csv;

    @Option(names = "--plot", paramLabel = "FILE.svg", description = "a picture of bandwidth and time over size")
    private String plot;

    @Option(
            names = {"-v", "--verbose"},
            description = "tell how each pair of ranks is connected, and why")
    private boolean verbose;

    /** Whether to explain the choice of transports. */
    boolean verbose() {
        return verbose;
    }

    /** Opens all outputs. */
    List<Report> reports(PrintStream out, PrintStream err, Progress progress) {
        long onOutput = Stream.of(json, csv, plot)
                .filter(Objects::nonNull)
                .filter(name -> name.equals("-"))
                .count();
        Usage.refuse(onOutput > 1, "-: must be given to only one of --json, --csv and --plot");
        Usage.refuse(
                plot != null && !plot.equals("-") && !plot.endsWith(".svg"),
                "--plot " + plot + ": must end in .svg, which it is");
        List<Report> reports = new ArrayList<>();
        reports.add(new Table(onOutput == 1 ? err : out, progress));
        if (json != null) {
            reports.add(new JsonReport(Output.open("--json", json, out)));
        }
        if (csv != null) {
            reports.add(new CsvReport(Output.open("--csv", csv, out)));
        }
        if (plot != null) {
            reports.add(new Plot(Output.open("--plot", plot, out)));
        }
        return reports;
    }
}
