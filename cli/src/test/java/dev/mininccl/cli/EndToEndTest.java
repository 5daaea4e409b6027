package dev.mininccl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line in processes of its own. */
@Timeout(90)
class EndToEndTest {

    @TempDir
    private Path folder;

    private CliProcess start(String line) {
        return CliProcess.start(folder, line.split(" "));
    }

    private CliProcess run(String line) throws InterruptedException {
        try (CliProcess process = start(line)) {
            return process.await();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void assertPassed(CliProcess process) {
        assertThat(process.err()).isEmpty();
        assertThat(process.out().lines().toList()).last().isEqualTo("Result: [PASS]");
        assertThat(process.status()).isZero();
    }

    private static long rows(CliProcess process) {
        return process.out().lines().filter(line -> line.matches("\\s+\\d+ .*")).count();
    }

    @Test
    void twoProcessesReduce() throws Exception {
        Path json = folder.resolve("x.json");
        Path csv = folder.resolve("x.csv");
        Path svg = folder.resolve("x.svg");
        CliProcess perf = run("perf --ranks 2 -e 1M -n 5 -v --json " + json + " --csv " + csv + " --plot " + svg);
        assertPassed(perf);
        assertThat(rows(perf)).isEqualTo(18);
        assertThat(perf.out()).contains("# rank 0 of 2").contains("# Avg bus bandwidth : ");
        Map<String, Object> object = JsonReader.readObject(Files.readString(json));
        assertThat(object).containsEntry("ranks", 2.0).containsEntry("collective", "all_reduce");
        assertThat((List<?>) object.get("results")).hasSize(36);
        assertThat(Files.readAllLines(csv)).hasSize(37);
        assertThat(Files.readString(svg)).endsWith("</svg>\n");
    }

    @Test
    void tuningIsBoundedAndItsTableServes() throws Exception {
        Path table = folder.resolve("table");
        CliProcess tune = run("tune --memory host -e 1K --limit 10 --output " + table);
        assertThat(tune.err()).contains("host ranks=2 memory: shipped (1 of 8)");
        assertThat(tune.status()).isZero();
        // Whether something beats the built-in table is the machine's to say.
        assertThat(tune.out()).contains(Files.exists(table) ? "[host ranks=2 memory]" : "nothing written");
    }

    @Test
    void differentTablesAreRefusedByName() throws Exception {
        Path table = folder.resolve("table");
        Files.writeString(table, "mini-nccl tuning 1\n[host ranks=2 memory]\n64 two-shot slots\n");
        String master = "127.0.0.1:" + freePort();
        Map<String, String> tuned =
                Map.of("MINI_NCCL_TUNING_FILE", table.toString(), "MINI_NCCL_CONNECT_TIMEOUT", "9000");
        try (CliProcess zero = start("perf 0 2 " + master + " -e 64 -n 2 -w 1");
                CliProcess one = CliProcess.start(folder, tuned, ("perf 1 2 " + master + " -e 64").split(" "))) {
            CliProcess refused = one.await();
            assertThat(refused.status()).isEqualTo(ExitStatus.FAILED);
            assertThat(refused.err())
                    .contains("MINI_NCCL_TUNING_FILE is a table with hash ")
                    .contains("but a table with hash none on rank 0");
            zero.kill();
        }
    }

    @Test
    void tunedRanksReduce() throws Exception {
        Path table = folder.resolve("table");
        Files.writeString(table, "mini-nccl tuning 1\n[host ranks=2 memory]\n8192 two-shot slots\n");
        try (CliProcess perf = CliProcess.start(
                folder,
                Map.of("MINI_NCCL_TUNING_FILE", table.toString()),
                "perf --ranks 2 -e 64K -n 2 -w 1 -d f8e4m3".split(" "))) {
            assertPassed(perf.await());
        }
    }

    @Test
    void twoTerminalsReduce() throws Exception {
        String master = "127.0.0.1:" + freePort();
        try (CliProcess zero = start("perf 0 2 " + master + " -e 64 -n 2 -w 1");
                CliProcess one = start("perf 1 2 " + master + " -e 64 -n 2 -w 1")) {
            assertPassed(zero.await());
            assertPassed(one.await());
            assertThat(rows(zero)).isEqualTo(4);
            assertThat(one.out()).startsWith("# mini-nccl").contains("rank 0 shows the table");
        }
    }

    @Test
    void masterGivesTheRanks() throws Exception {
        try (CliProcess master = start("hera-master 2 --listen 127.0.0.1:0")) {
            master.awaitOut(out -> out.contains("\n"));
            String address = master.out().replaceAll("(?s).* listens at (\\S+).*", "$1");
            CliProcess status = run("status " + address);
            assertThat(status.out()).contains("2 ranks");
            assertThat(status.status()).isZero();
            try (CliProcess one = start("perf -1 2 " + address + " -e 8 -n 2 -w 0");
                    CliProcess other = start("perf --rank -1 --world 2 --master " + address + " -e 8 -n 2 -w 0")) {
                assertPassed(one.await());
                assertPassed(other.await());
                assertThat(rows(one) + rows(other)).isEqualTo(1);
            }
            assertThat(master.await().status()).isZero();
        }
    }

    @Test
    void masterDemandsTheSecret() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "open sesame");
        try (CliProcess master = start("hera-master 1 --listen 0.0.0.0:0 --token-file " + token)) {
            master.awaitOut(out -> out.contains("\n"));
            String address = "127.0.0.1" + master.out().replaceAll("(?s).* listens at \\S*(:\\d+).*", "$1");
            CliProcess stranger = run("perf 0 1 " + address + " -e 8 -n 1 -w 0");
            assertThat(stranger.status()).isNotZero();
            assertThat(stranger.err()).startsWith("mini-nccl: ").contains("secret");
            assertPassed(run("perf 0 1 " + address + " -e 8 -n 1 -w 0 --token-file " + token));
            assertThat(master.await().status()).isZero();
        }
    }

    @Test
    void launcherGivesTheRanks() throws Exception {
        Map<String, String> environment = Map.of("RANK", "0", "WORLD_SIZE", "1", "MASTER_PORT", "" + freePort());
        try (CliProcess perf = CliProcess.start(folder, environment, "perf", "-e", "8", "-w", "0")) {
            assertPassed(perf.await());
            assertThat(perf.out()).contains("# 1 rank, ");
        }
    }

    @Test
    void killedRankEndsTheRun() throws Exception {
        try (CliProcess perf = start("perf --ranks 3 -b 64K -e 64K -n 10000000 -w 1")) {
            perf.awaitOut(out -> out.contains("(GB/s)"));
            // Children in the order of their start are the ranks.
            List<ProcessHandle> ranks = perf.children().stream()
                    .sorted((a, b) -> Long.compare(a.pid(), b.pid()))
                    .toList();
            assertThat(ranks).hasSize(3);
            long start = System.nanoTime();
            ranks.get(1).destroyForcibly();
            perf.await();
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                    .as("ms")
                    .isLessThan(2_000);
            assertThat(perf.status()).isEqualTo(ExitStatus.FAILED);
            assertThat(perf.err().lines()).hasSize(1);
            assertThat(perf.err())
                    .contains("mini-nccl: rank 1 (process " + ranks.get(1).pid() + ") was killed by signal 9");
            assertThat(ranks).noneMatch(ProcessHandle::isAlive);
        }
    }

    @Test
    void ranksDieWithTheirParent() throws Exception {
        try (CliProcess perf = start("perf --ranks 2 -b 64K -e 64K -n 10000000 -w 1")) {
            perf.awaitOut(out -> out.contains("(GB/s)"));
            List<ProcessHandle> ranks = perf.children();
            assertThat(ranks).hasSize(2);
            perf.kill();
            for (ProcessHandle rank : ranks) {
                rank.onExit().get(5, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void allTypesAndOperations() throws Exception {
        CliProcess threads = run("perf --ranks 3 --threads -b 48 -e 48 -n 1 -w 0 -d all -o all");
        assertPassed(threads);
        assertThat(rows(threads)).isEqualTo(60);
        CliProcess processes = run("perf --ranks 2 -b 100K -e 100K -n 1 -w 0 -d all -o all --in-place");
        assertPassed(processes);
        assertThat(rows(processes)).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"all_gather", "reduce_scatter"})
    void partsAreGatheredAndScattered(String collective) throws Exception {
        CliProcess perf = run("perf " + collective + " --ranks 3 -b 24 -e 1M -f 32 -n 1 -w 0 -d all");
        assertPassed(perf);
        assertThat(perf.out()).contains("# mini-nccl", collective, " 786432 ", " 262144 ");
        assertThat(perf.out().contains(" none ")).isEqualTo(collective.equals("all_gather"));
        CliProcess wrong = run("perf " + collective + " --ranks 2 -b 64 -e 64 -n 1 -w 0 --corrupt 1");
        assertThat(wrong.status()).isEqualTo(ExitStatus.WRONG);
        assertPassed(run("perf " + collective + " --register -b 4K -e 4K -n 1 -w 0"));
    }

    @Test
    void registeredBuffersReduce() throws Exception {
        CliProcess perf = run("perf -b 4 -e 1M -f 64 -n 1 -w 0 --register -z 1");
        assertPassed(perf);
        assertThat(perf.out()).contains("registered");
    }

    @Test
    void wrongResultsAreFound() throws Exception {
        CliProcess perf = run("perf --ranks 2 -e 16 -n 1 -w 0 --corrupt 1");
        assertThat(perf.status()).isEqualTo(ExitStatus.WRONG);
        assertThat(perf.out().lines().toList())
                .contains("# Wrong elements : 4 FAILED")
                .last()
                .isEqualTo("Result: [FAIL]");
    }

    @Test
    void resultsOnStandardOutputStandAlone() throws Exception {
        CliProcess perf = run("perf --ranks 2 --threads -e 16 -n 1 -w 0 -J -");
        assertThat(JsonReader.readObject(perf.out())).containsEntry("transport", "local");
        assertThat(perf.err()).endsWith("Result: [PASS]\n");
    }

    @Test
    void ranksThatDisagreeAreTold() throws Exception {
        String master = "127.0.0.1:" + freePort();
        try (CliProcess zero = start("perf 0 2 " + master + " -e 64 -d int32");
                CliProcess one = start("perf 1 2 " + master + " -e 64 -d float")) {
            for (CliProcess rank : List.of(zero.await(), one.await())) {
                assertThat(rank.status()).isEqualTo(ExitStatus.FAILED);
                assertThat(rank.err()).startsWith("mini-nccl: rank ").contains("disagree on operation");
                assertThat(rank.err().lines()).hasSize(1);
            }
            // A busy machine may leave one rank with what it knows itself.
            assertThat(zero.err() + one.err()).contains("int32").contains("float");
        }
    }

    @Test
    void badUsageIsExplained() throws Exception {
        CliProcess perf = run("perf --itrs 3");
        assertThat(perf.status()).isEqualTo(ExitStatus.USAGE);
        assertThat(perf.err().lines())
                .containsExactly(
                        "mini-nccl: Unknown option: '--itrs'",
                        "Possible solutions: --iters",
                        "See 'mini-nccl perf --help'.");
        assertThat(perf.out()).isEmpty();
    }

    @Test
    void badSettingsAreRefused() throws Exception {
        try (CliProcess perf = CliProcess.start(folder, Map.of("MINI_NCCL_SLOTS", "1"), "perf", "-e", "8")) {
            assertThat(perf.await().status()).isEqualTo(ExitStatus.USAGE);
            assertThat(perf.err()).contains("MINI_NCCL_SLOTS=1: must be 2 to 64");
        }
    }

    @Test
    void absentMasterIsTold() throws Exception {
        CliProcess status = run("status 127.0.0.1:" + freePort());
        assertThat(status.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(status.err())
                .startsWith("mini-nccl: no status from 127.0.0.1:")
                .hasLineCount(1);
    }

    @Test
    void smallCommandsWork() throws Exception {
        assertThat(run("--version").out()).startsWith("mini-nccl ");
        assertThat(run("--help").out()).contains("perf", "hera-master", "status", "doctor", "settings");
        assertThat(run("help perf").out()).startsWith("Usage: mini-nccl perf");
        assertThat(run("settings").out()).contains("`MINI_NCCL_SLICE_SIZE` | 131072");
        CliProcess doctor = run("doctor --json");
        assertThat(doctor.status()).isZero();
        assertThat(JsonReader.readObject(doctor.out())).containsKey("findings");
    }
}
