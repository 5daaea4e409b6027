package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.cli.JsonReader;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {

    private static final Row SMALL = new Row(
            DataType.FLOAT32, ReduceOp.SUM, 8, 2, new Measurement(0.3, 0.4, 0.5, 0), new Measurement(0.25, 0.5, 2, 0));
    private static final Row LARGE = new Row(
            DataType.FLOAT32,
            ReduceOp.SUM,
            1 << 20,
            1 << 18,
            new Measurement(100, 104.8576, 200, 0),
            new Measurement(90, 12345.6, 20000, 3));

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private static final List<Run.PeerName> PEERS = List.of(new Run.PeerName("nccl", "2.28.9"));

    private static Row beside(Row ours, Measurement outOfPlace, Measurement inPlace) {
        Row theirs = new Row(ours.type(), ours.op(), ours.bytes(), ours.count(), outOfPlace, inPlace);
        return new Row(
                ours.type(), ours.op(), ours.bytes(), ours.count(), ours.outOfPlace(), ours.inPlace(), List.of(theirs));
    }

    private static final Row[] COMPARED = {
        beside(SMALL, new Measurement(0.7, 0.8, 1, 0), new Measurement(0.9, 1, 2, 0)),
        beside(LARGE, new Measurement(40, 52.4288, 60, 0), null)
    };

    private static Run run(int checks) {
        return run(checks, List.of());
    }

    private static Run run(int checks, List<Run.PeerName> peers) {
        Plan plan = new Plan(
                Collective.ALL_REDUCE,
                new long[] {8, 1 << 20},
                List.of(DataType.FLOAT32),
                List.of(ReduceOp.SUM),
                20,
                5,
                checks,
                false,
                true,
                true,
                false,
                1,
                -1);
        return new Run(plan, "1.2", 4, "host", "shm", "host", List.of("a note"), peers);
    }

    private String report(Report report, Run run, Row... rows) {
        report.begin(run);
        for (Row row : rows) {
            report.row(run, row);
        }
        report.end(run, Summary.of(run, List.of(rows)));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private Output output() {
        return Output.open("--json", "-", out);
    }

    @Test
    void tableIsThatOfNcclTests() {
        assertThat(report(new Table(out, new Progress(out, Progress.Form.NONE)), run(1), SMALL, LARGE))
                .isEqualToNormalizingNewlines("""
                        # mini-nccl 1.2 all_reduce
                        # a note
                        #
                        #                                                               out-of-place                           in-place
                        #       size         count      type   redop  root       time    algbw    busbw  #wrong       time    algbw    busbw  #wrong
                        #        (B)    (elements)                               (us)   (GB/s)   (GB/s)               (us)   (GB/s)   (GB/s)
                                   8             2     float     sum    -1      0.400     0.02     0.03       0      0.500     0.02     0.02       0
                             1048576        262144     float     sum    -1      104.9    10.00    15.00       0      12346     0.08     0.13       3
                        # Wrong elements : 3 FAILED
                        # Avg bus bandwidth : 3.795
                        Result: [FAIL]
                        """);
    }

    @Test
    void tableHasColumnsForPeers() {
        assertThat(report(new Table(out, new Progress(out, Progress.Form.NONE)), run(1, PEERS), COMPARED))
                .isEqualToNormalizingNewlines("""
                        # mini-nccl 1.2 all_reduce
                        # a note
                        #
                        #                                                                        out-of-place                                             in-place
                        #       size         count      type   redop  root       time    algbw    busbw  #wrong       nccl  ratio       time    algbw    busbw  #wrong       nccl  ratio
                        #        (B)    (elements)                               (us)   (GB/s)   (GB/s)               (us)              (us)   (GB/s)   (GB/s)               (us)
                                   8             2     float     sum    -1      0.400     0.02     0.03       0      0.800   0.50      0.500     0.02     0.02       0      1.000   0.50
                             1048576        262144     float     sum    -1      104.9    10.00    15.00       0      52.43   2.00      12346     0.08     0.13       3          -      -
                        # Wrong elements : 3 FAILED
                        # Avg bus bandwidth : 3.795
                        # Time ours/nccl : 0.79 geometric mean, 0.50 to 2.00
                        Result: [FAIL]
                        """);
    }

    @Test
    @SuppressWarnings("unchecked")
    void jsonAndCsvHoldPeers() {
        Map<String, Object> json = JsonReader.readObject(report(new JsonReport(output()), run(1, PEERS), COMPARED));
        Map<String, Object> peer = ((List<Map<String, Object>>) json.get("peers")).getFirst();
        assertThat(peer).containsEntry("name", "nccl").containsEntry("version", "2.28.9");
        List<Map<String, Object>> results = (List<Map<String, Object>>) peer.get("results");
        assertThat(results).hasSize(3);
        assertThat(results.get(2))
                .containsEntry("bytes", 1048576.0)
                .containsEntry("timeUs", Map.of("min", 40.0, "median", 52.4288, "p99", 60.0));
        bytes.reset();
        List<String> csv =
                report(new CsvReport(output()), run(1, PEERS), COMPARED).lines().toList();
        assertThat(csv.getFirst()).endsWith(",ncclMinUs,ncclMedianUs,ncclP99Us,ncclBusbwGBs,ncclWrong,ncclRatio");
        assertThat(csv).allMatch(line -> line.split(",", -1).length == 17);
        assertThat(csv.get(3)).endsWith(",40.0000,52.4288,60.0000,30.0000,0,2.0000");
        assertThat(csv.get(4)).endsWith(",3,,,,,,");
    }

    @Test
    void tableWithoutChecksSaysSo() {
        Measurement unchecked = new Measurement(1, 2, 3, Measurement.UNCHECKED);
        Row row = new Row(DataType.INT8, ReduceOp.MAX, 8, 8, unchecked, unchecked);
        String table = report(new Table(out, new Progress(out, Progress.Form.NONE)), run(0), row);
        assertThat(table)
                .contains("N/A")
                .endsWith("Result: [PASS] (results not checked, -c 0)" + System.lineSeparator());
    }

    @Test
    void whatCannotBeWrittenEndsTheRun() {
        PrintStream full = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("no space left");
            }
        });
        assertThatThrownBy(() -> new Table(full, new Progress(out, Progress.Form.NONE)).begin(run(1)))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageStartingWith("the results cannot be written");
        assertThatThrownBy(() -> Output.open("--csv", "/dev/full", out).write("x"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageStartingWith("--csv /dev/full: cannot be written (java.io.IOException: No space left");
    }

    @Test
    void tableEndsWithTheVerdict() {
        String table = report(new Table(out, new Progress(out, Progress.Form.NONE)), run(1), SMALL);
        assertThat(table.lines().toList())
                .endsWith("# Wrong elements : 0 OK", "# Avg bus bandwidth : 0.02700", "Result: [PASS]");
    }

    @Test
    @SuppressWarnings("unchecked")
    void jsonHasTheShapeOfTheManual() {
        Map<String, Object> json = JsonReader.readObject(report(new JsonReport(output()), run(1), SMALL, LARGE));
        assertThat(json.keySet())
                .containsExactly(
                        "version",
                        "ranks",
                        "memory",
                        "transport",
                        "engine",
                        "collective",
                        "type",
                        "op",
                        "results",
                        "peers");
        assertThat(json)
                .containsEntry("version", "1.2")
                .containsEntry("ranks", 4.0)
                .containsEntry("memory", "host")
                .containsEntry("transport", "shm")
                .containsEntry("engine", "host")
                .containsEntry("collective", "all_reduce")
                .containsEntry("type", "float")
                .containsEntry("op", "sum")
                .containsEntry("peers", List.of());
        List<Map<String, Object>> results = (List<Map<String, Object>>) json.get("results");
        assertThat(results).hasSize(4);
        assertThat(results.get(0).keySet())
                .containsExactly("bytes", "count", "inPlace", "timeUs", "algbwGBs", "busbwGBs", "wrong");
        assertThat(results.get(3))
                .containsEntry("bytes", 1048576.0)
                .containsEntry("count", 262144.0)
                .containsEntry("inPlace", true)
                .containsEntry("timeUs", Map.of("min", 90.0, "median", 12345.6, "p99", 20000.0))
                .containsEntry("wrong", 3.0);
        assertThat((double) results.get(2).get("busbwGBs")).isCloseTo(15.0, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void csvHasALineForEachMode() {
        String csv = report(new CsvReport(output()), run(1), SMALL, LARGE);
        assertThat(csv.lines().toList())
                .hasSize(5)
                .startsWith("bytes,count,type,op,inPlace,minUs,medianUs,p99Us,algbwGBs,busbwGBs,wrong")
                .contains("1048576,262144,float,sum,false,100.000,104.858,200.000,10.0000,15.0000,0")
                .allMatch(line -> line.split(",").length == 11);
    }

    @Test
    void plotShowsEveryPointOfBothPanels() {
        String svg = report(new Plot(output()), run(1), SMALL, LARGE);
        assertThat(svg)
                .startsWith("<svg ")
                .endsWith("</svg>\n")
                .contains("bus bandwidth", "time", "in place", "512 K", ">100000<");
        assertThat(svg.split("<circle ", -1)).hasSize(1 + 2 * 2 * 2);
        assertThat(svg.split("<polyline ", -1)).hasSize(1 + 2 * 2);
        assertThat(svg).doesNotContain("NaN", "Infinity");
    }

    @Test
    void plotOfOneSizeHasAxesToo() {
        assertThat(report(new Plot(output()), run(1), SMALL)).doesNotContain("NaN", "Infinity");
    }

    @Test
    void outputsAreFilesOrStandardOutput(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.csv");
        report(new CsvReport(Output.open("--csv", file.toString(), out)), run(1), SMALL);
        assertThat(Files.readAllLines(file)).hasSize(3);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEmpty();
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> Output.open("--csv", folder.resolve("no/x").toString(), out))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--csv " + folder.resolve("no/x"));
    }
}
