package dev.mininccl.cli.tune;

import dev.mininccl.cli.perf.JavaCommand;
import dev.mininccl.core.settings.Setting;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures by starting {@code perf}: what is measured is what users get, and a way that hangs or fails costs only itself. */
final class Trial {

    private static final Pattern TRANSPORT = Pattern.compile("\"transport\":\"([^\"]*)\"");
    private static final String OPERATION_MILLIS = "5000";

    private final Path folder;

    Trial(Path folder) {
        this.folder = folder;
    }

    /**
     * What one run came to.
     *
     * @param medians in µs by bytes; empty if it failed
     * @param transport of host ranks
     * @param failure why it failed, or empty
     */
    record Outcome(Map<Long, Double> medians, String transport, String failure) {}

    /**
     * Runs once.
     *
     * @param table the tuning file's text, or {@code null} for the built-in tables
     * @param perf options besides the sizes
     * @param seconds when to give up
     */
    Outcome run(String table, List<String> perf, long from, long to, long seconds)
            throws IOException, InterruptedException {
        Path csv = folder.resolve("result.csv");
        Path json = folder.resolve("result.json");
        Path errors = folder.resolve("errors.txt");
        List<String> command = new ArrayList<>(JavaCommand.ofThisProcess());
        command.addAll(List.of("perf", "--in-place", "-f", "2", "-b", Long.toString(from), "-e", Long.toString(to)));
        command.addAll(List.of("--csv", csv.toString(), "--json", json.toString()));
        command.addAll(perf);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(errors.toFile());
        builder.environment().put(Setting.TIMEOUT.variable(), OPERATION_MILLIS);
        builder.environment().remove(Setting.TUNING_FILE.variable());
        if (table != null) {
            Path file = folder.resolve("candidate.tuning");
            Files.writeString(file, table);
            builder.environment().put(Setting.TUNING_FILE.variable(), file.toString());
        }
        Process process = builder.start();
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                return new Outcome(Map.of(), "", "not done after " + seconds + " s");
            }
        } finally {
            // Its ranks end with it: they watch their standard input.
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            List<String> said = Files.readAllLines(errors);
            return new Outcome(
                    Map.of(),
                    "",
                    said.isEmpty()
                            ? "exit status " + process.exitValue()
                            : said.getLast().strip());
        }
        Matcher transport = TRANSPORT.matcher(Files.readString(json));
        return new Outcome(medians(Files.readAllLines(csv)), transport.find() ? transport.group(1) : "", "");
    }

    /** The columns {@code bytes} and {@code medianUs}. */
    static Map<Long, Double> medians(List<String> csv) {
        List<String> names = List.of(csv.getFirst().split(",", -1));
        Map<Long, Double> medians = new TreeMap<>();
        for (String line : csv.subList(1, csv.size())) {
            String[] cells = line.split(",", -1);
            medians.put(
                    Long.parseLong(cells[names.indexOf("bytes")]),
                    Double.parseDouble(cells[names.indexOf("medianUs")]));
        }
        return medians;
    }
}
