package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.Workers.Ear;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many ranks in this process against a real master on a real socket. */
@Timeout(30)
class HeraJobTest {

    private static void leaveInOrder(HeraMaster master, List<Bootstrap> ranks) throws Exception {
        Workers.closeAll(ranks);
        assertThat(master.awaitEnd(Workers.LIMIT)).isTrue();
        assertThat(master.abortReason()).isEmpty();
    }

    private static List<Ear> listenAll(List<Bootstrap> ranks, String call) {
        return ranks.stream().map(rank -> Ear.on(rank, call)).toList();
    }

    /** As a module where the tests run as one, and in META-INF for the class path. */
    @Test
    void theApiFindsIt() throws Exception {
        CommunicatorOptions alone = CommunicatorOptions.builder()
                .rank(0)
                .size(1)
                .master("127.0.0.1", Workers.freePort())
                .build();
        try (Communicator comm = Communicator.join(alone)) {
            assertThat(comm.size()).isEqualTo(1);
            assertThat(HeraStatus.query(alone.host(), alone.port(), null, Workers.LIMIT)
                            .text())
                    .contains("job of 1 rank");
        }
        String service = "META-INF/services/" + BootstrapProvider.class.getName();
        try (InputStream in = HeraBootstrapProvider.class.getResourceAsStream("/" + service)) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip())
                    .isEqualTo(HeraBootstrapProvider.class.getName());
        }
        assertThat(new HeraBootstrapProvider().name()).isEqualTo("hera");
    }

    @Test
    void manyRanksMeetAndExchange() throws Exception {
        int[] wanted = {-1, 5, -1, 0, 7, -1, -1, 3, 11, -1, 1, -1};
        try (HeraMaster master = Workers.master(wanted.length)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), wanted);
            assertThat(ranks.stream().map(Bootstrap::rank))
                    .containsExactlyElementsOf(IntStream.range(0, 12).boxed().toList());
            for (int round = 0; round < 20; round++) {
                int length = round * 97;
                List<Callable<List<byte[]>>> gathers = ranks.stream()
                        .<Callable<List<byte[]>>>map(rank -> () -> {
                            byte[] mine = new byte[length];
                            Arrays.fill(mine, (byte) rank.rank());
                            return rank.allGather(mine, Deadline.after(Workers.LIMIT));
                        })
                        .toList();
                for (List<byte[]> all : Workers.together(gathers)) {
                    assertThat(all).hasSize(12);
                    for (int from = 0; from < 12; from++) {
                        byte[] expected = new byte[length];
                        Arrays.fill(expected, (byte) from);
                        assertThat(all.get(from)).isEqualTo(expected);
                    }
                }
            }
            leaveInOrder(master, ranks);
        }
    }

    @Test
    void theLargestPartTravelsAndOneByteMoreDoesNot() throws Exception {
        try (HeraMaster master = Workers.master(3)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2);
            byte[] large = new byte[1 << 20];
            Arrays.fill(large, (byte) 7);
            List<Callable<List<byte[]>>> gathers = ranks.stream()
                    .<Callable<List<byte[]>>>map(rank -> () -> rank.allGather(large, Deadline.after(Workers.LIMIT)))
                    .toList();
            for (List<byte[]> all : Workers.together(gathers)) {
                assertThat(all).allSatisfy(part -> assertThat(part).isEqualTo(large));
            }
            assertThatThrownBy(() -> ranks.getFirst().allGather(new byte[(1 << 20) + 1], Deadline.after(Workers.LIMIT)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("1048577 bytes, allowed are 0 to 1048576");
            leaveInOrder(master, ranks);
        }
    }

    @Test
    void refusalsReachTheRankAsExceptions() throws Exception {
        try (HeraMaster master = Workers.master(2)) {
            CompletableFuture<Bootstrap> first =
                    Workers.async(() -> Workers.join(Workers.request(0, 2, master.port())));
            while (!HeraStatus.query("127.0.0.1", master.port(), null, Workers.LIMIT)
                    .text()
                    .contains("1 of 2")) {
                Thread.sleep(5);
            }
            assertThatThrownBy(() -> Workers.join(Workers.request(0, 2, master.port())))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("refused by the master at 127.0.0.1:" + master.port())
                    .hasMessageContaining("under the same rank");
            assertThatThrownBy(() -> Workers.join(Workers.request(1, 3, master.port())))
                    .hasMessageContaining("one of 2");
            Request other = new Request(
                    1, 2, "127.0.0.1", master.port(), null, false, "MINI_NCCL_SLOTS=8", Duration.ofSeconds(1));
            assertThatThrownBy(() -> Workers.join(other))
                    .satisfies(e -> assertThat(((NcclException) e).code()).isEqualTo(ResultCode.INVALID_USAGE))
                    .hasMessageContaining("MINI_NCCL_SLOTS is 8 on rank 1");
            Bootstrap second = Workers.join(Workers.request(1, 2, master.port()));
            assertThatThrownBy(() -> Workers.join(Workers.request(-1, 2, master.port())))
                    .hasMessageContaining("one too many");
            leaveInOrder(master, List.of(first.get(), second));
        }
    }

    @Test
    void badRequestsAreRefusedBeforeAnythingIsDone() {
        for (Request bad : List.of(
                Workers.request(2, 2, 9),
                Workers.request(-2, 2, 9),
                Workers.request(0, 0, 9),
                Workers.request(0, 2, 0),
                new Request(0, 2, " ", 9, null, true, "", Duration.ofSeconds(1)),
                new Request(0, 2, "h", 9, new byte[0], true, "", Duration.ofSeconds(1)),
                new Request(0, 2, "h", 9, null, true, "", Duration.ZERO),
                new Request(0, 2, "h", 9, null, true, "x".repeat(40_000), Duration.ofSeconds(1)))) {
            assertThatThrownBy(() -> Workers.join(bad)).isInstanceOf(InvalidCallException.class);
        }
    }

    @Test
    void theJobDoesNotStartWithoutAll() {
        try (HeraMaster master = Workers.master(3)) {
            assertThatThrownBy(() -> new HeraBootstrapProvider()
                            .join(Workers.request(1, 3, master.port()), Deadline.after(Duration.ofMillis(200))))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("1 of 3 ranks have registered, ranks 0, 2 are missing");
        }
    }

    @Test
    void aLateRankIsNamedToAll() throws Exception {
        try (HeraMaster master = Workers.master(3)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2);
            Ear ear = Ear.on(ranks.get(1), "");
            long start = System.nanoTime();
            assertThatThrownBy(() -> ranks.get(0).barrier(Deadline.after(Duration.ofMillis(150))))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("ranks 1, 2 did not come within 150 ms of rank 0");
            assertThat(System.nanoTime() - start).isBetween(150_000_000L, 3_000_000_000L);
            assertThat(ear.abort().kind()).isEqualTo(Kind.TIMEOUT);
            assertThatThrownBy(() -> ranks.get(2).barrier(Deadline.after(Workers.LIMIT)))
                    .hasMessageContaining("ranks 1, 2 did not");
            Workers.closeAll(ranks);
            assertThat(master.awaitEnd(Workers.LIMIT)).isTrue();
        }
    }

    @Test
    void theFirstAbortWinsEverywhereAlsoForThoseWhoListenLater() throws Exception {
        try (HeraMaster master = Workers.master(4)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2, 3);
            List<Ear> ears = listenAll(ranks.subList(0, 3), "");
            ranks.get(2).abort(new AbortReason(Kind.TRANSPORT, 2, 9, "the cable of rank 2 was pulled"));
            assertThat(ears.get(0).abort().message()).isEqualTo("the cable of rank 2 was pulled");
            ranks.get(1).abort(new AbortReason(Kind.INTERNAL, 1, 1, "late"));
            ranks.get(2).abort(new AbortReason(Kind.INTERNAL, 2, 1, "later"));
            for (Ear ear : ears.subList(1, 3)) {
                assertThat(ear.abort().message()).isEqualTo("the cable of rank 2 was pulled");
            }
            assertThatThrownBy(() -> ranks.get(3).barrier(Deadline.after(Workers.LIMIT)))
                    .satisfies(e -> assertThat(((NcclException) e).code()).isEqualTo(ResultCode.SYSTEM_ERROR))
                    .hasMessage("the cable of rank 2 was pulled");
            assertThat(Ear.on(ranks.get(3), "").aborts).hasSize(1);
            Workers.closeAll(ranks);
            assertThat(ears).allSatisfy(ear -> assertThat(ear.aborts).isEmpty());
            assertThat(master.abortReason().orElseThrow().sequence()).isEqualTo(9);
        }
    }

    @Test
    void abortsFromAllSidesAtOnceGiveAllOneReason() throws Exception {
        for (int repeat = 0; repeat < 20; repeat++) {
            try (HeraMaster master = Workers.master(4)) {
                List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2, 3);
                List<Ear> ears = listenAll(ranks, "");
                Workers.together(ranks.stream()
                        .<Callable<Boolean>>map(rank -> () -> {
                            rank.abort(new AbortReason(Kind.TRANSPORT, rank.rank(), 1, "by " + rank.rank()));
                            return true;
                        })
                        .toList());
                AbortReason first = ears.getFirst().abort();
                for (Ear ear : ears.subList(1, 4)) {
                    assertThat(ear.abort()).isEqualTo(first);
                }
                Workers.closeAll(ranks);
            }
        }
    }

    @Test
    void aMismatchIsExplainedToAll() throws Exception {
        try (HeraMaster master = Workers.master(4)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2, 3);
            List<Ear> ears = ranks.stream()
                    .map(rank -> Ear.on(
                            rank,
                            rank.rank() == 2 ? "all_reduce of 1048576 float, sum" : "all_reduce of 524288 half, sum"))
                    .toList();
            long start = System.nanoTime();
            ranks.get(1).reportMismatch(417);
            ranks.get(2).reportMismatch(417);
            for (Ear ear : ears) {
                assertThat(ear.abort())
                        .isEqualTo(new AbortReason(
                                Kind.MISMATCH,
                                2,
                                417,
                                "ranks disagree on operation #417: ranks 0, 1, 3 called all_reduce of 524288 half, sum;"
                                        + " rank 2 called all_reduce of 1048576 float, sum. Make the same calls in the same"
                                        + " order on all ranks, then join anew"));
            }
            System.out.printf("mismatch explained to 4 ranks in %d us%n", (System.nanoTime() - start) / 1000);
            Workers.closeAll(ranks);
        }
    }

    @Test
    void whoLeavesInOrderIsAnnouncedAndMissedOnlyInAnExchange() throws Exception {
        try (HeraMaster master = Workers.master(3)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1, 2);
            List<Ear> ears = listenAll(ranks, "");
            ranks.get(1).close();
            assertThat(ears.get(0).left.poll(10, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(ears.get(0).aborts).isEmpty();
            assertThatThrownBy(() -> ranks.get(0).barrier(Deadline.after(Workers.LIMIT)))
                    .hasMessageContaining("rank 1 (host ")
                    .hasMessageContaining("closed its communicator while others still use theirs: rank 0 wait");
            assertThat(ears.get(2).abort().kind()).isEqualTo(Kind.CLOSED);
            assertThatThrownBy(() -> ranks.get(1).barrier(Deadline.after(Workers.LIMIT)))
                    .isInstanceOf(InvalidCallException.class);
            Workers.closeAll(ranks);
        }
    }

    @Test
    void closingWakesWhoeverWaits() throws Exception {
        try (HeraMaster master = Workers.master(2)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1);
            CompletableFuture<Boolean> waiting = Workers.async(() -> {
                ranks.get(0).barrier(Deadline.after(Workers.LIMIT));
                return true;
            });
            while (!HeraStatus.query("127.0.0.1", master.port(), null, Workers.LIMIT)
                    .text()
                    .contains("waits for rank 1")) {
                Thread.sleep(5);
            }
            ranks.get(0).close();
            assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(NcclException.class);
            Workers.closeAll(ranks);
        }
    }

    @Test
    void aMasterThatClosesTellsItsRanks() throws Exception {
        HeraMaster master = Workers.master(2);
        List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1);
        List<Ear> ears = listenAll(ranks, "");
        long start = System.nanoTime();
        master.close();
        assertThat(System.nanoTime() - start).isLessThan(2_500_000_000L);
        for (Ear ear : ears) {
            assertThat(ear.abort().message()).contains("the master was closed");
        }
        Workers.closeAll(ranks);
    }

    @Test
    void twoHundredJobsLeaveNothingBehind() throws Exception {
        long files = 0;
        for (int i = 0; i < 200; i++) {
            files = i == 20 ? openFiles() : files;
            try (HeraMaster master = Workers.master(2)) {
                List<Bootstrap> ranks = Workers.joinAll(master.port(), -1, -1);
                leaveInOrder(master, ranks);
            }
        }
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(n -> n.startsWith("hera-")))
                .isEmpty();
        assertThat(openFiles()).isLessThanOrEqualTo(files);
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    @Test
    void theStatusTellsWhoIsThere() throws Exception {
        try (HeraMaster master = Workers.master(2)) {
            List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1);
            HeraStatus status = HeraStatus.query("127.0.0.1", master.port(), null, Workers.LIMIT);
            assertThat(status.text())
                    .contains("job of 2 ranks, running")
                    .contains("a test")
                    .contains(String.valueOf(ProcessHandle.current().pid()));
            assertThat(status.json())
                    .startsWith("{\"world\":2,\"phase\":\"running\"")
                    .contains("\"bootId\":\"");
            leaveInOrder(master, ranks);
            assertThatThrownBy(() -> HeraStatus.query("127.0.0.1", master.port(), null, Workers.LIMIT))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("no status from 127.0.0.1:" + master.port());
        }
    }
}
