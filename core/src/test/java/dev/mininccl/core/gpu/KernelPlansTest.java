package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.tuning.TuningFile;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelPlansTest {
    private static final int MOST_THREADS = 1024;

    static Stream<Arguments> tables() {
        ArenaLayout large = ArenaLayout.peer(2, 140L << 30);
        ArenaLayout small = ArenaLayout.peer(2, 8L << 30);
        ArenaLayout eight = ArenaLayout.peer(8, 140L << 30);
        ArenaLayout host = ArenaLayout.host(2);
        ArenaLayout hostFour = ArenaLayout.host(4);
        return Stream.of(
                Arguments.of("nvlink pair", GpuTuner.nvlinkPair(large, GpuClass.H200), large),
                Arguments.of("nvlink pair, small device", GpuTuner.nvlinkPair(small, GpuClass.H200), small),
                Arguments.of("pcie pair", GpuTuner.pciePair(large, GpuClass.H200), large),
                Arguments.of("pcie pair, small device", GpuTuner.pciePair(small, GpuClass.H200), small),
                Arguments.of("host pair", GpuTuner.hostPair(GpuClass.H200), host),
                Arguments.of("eight ranks on a device", ManyRanks.shared(8, 8, eight), eight),
                Arguments.of("four ranks, few blocks", ManyRanks.shared(4, 3, hostFour), hostFour),
                Arguments.of("eight ranks in rank order", ManyRanks.inRankOrder(8, 66, eight), eight));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void tablesOfManyRanksFitEveryClass(GpuClass weakest) {
        for (int ranks = 3; ranks <= KernelArguments.MAX_RANKS; ranks++) {
            for (long memory : new long[] {8L << 30, 140L << 30}) {
                ArenaLayout peer = ArenaLayout.peer(ranks, memory);
                ArenaLayout host = ArenaLayout.host(ranks);
                int blocks = weakest.multiprocessors() / 2;
                everyPlanFitsItsSlotsAndABlock("nvlink", ManyRanks.nvlink(ranks, peer, weakest), peer);
                everyPlanFitsItsSlotsAndABlock("pcie", ManyRanks.pcie(ranks, blocks, peer, weakest), peer);
                everyPlanFitsItsSlotsAndABlock("host", ManyRanks.host(ranks, blocks, host, weakest), host);
                for (long bytes = 1; bytes <= 1L << 40; bytes *= 2) {
                    KernelPlan plan = ManyRanks.nvlink(ranks, peer, weakest).plan(bytes);
                    assertThat(plan.family() == Family.TWOSHOT || plan.runs(weakest))
                            .as("%s on %s", plan, weakest)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void moreRanksLeaveOneShotSooner() {
        long before = Long.MAX_VALUE;
        for (int ranks = 3; ranks <= KernelArguments.MAX_RANKS; ranks++) {
            GpuTuner tuner = ManyRanks.nvlink(ranks, ArenaLayout.peer(ranks, 140L << 30), GpuClass.H200);
            long last = 0;
            for (long bytes = 8; tuner.plan(bytes).family() == Family.LL; bytes += 8) {
                last = bytes;
            }
            assertThat(last).as("%d ranks", ranks).isLessThan(before).isGreaterThan(16 << 10);
            before = last;
            assertThat(tuner.plan(last + 8).family()).isEqualTo(Family.LL_TWOSHOT);
            assertThat(tuner.plan(1 << 20).family()).isEqualTo(Family.LL128_TWOSHOT);
            assertThat(tuner.plan(16 << 20).family()).isEqualTo(Family.MESH);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tables")
    void everyPlanFitsItsSlotsAndABlock(String name, GpuTuner tuner, ArenaLayout layout) {
        for (long bytes = 1; bytes > 0 && bytes <= 1L << 40; bytes *= 2) {
            for (long near = bytes - 1; near <= bytes + 1; near++) {
                KernelPlan plan = tuner.plan(Math.max(1, near));
                assertThat(layout.holds(plan, near))
                        .as("%s for %d bytes", plan, near)
                        .isTrue();
                assertThat(plan.threads() % 32).isZero();
                assertThat(plan.threads() + plan.family().extraThreads()).isLessThanOrEqualTo(MOST_THREADS);
                assertThat(plan.blocks()).isPositive();
            }
        }
    }

    @Test
    void anOperationOfLl128HasFewerTilesThanItsFlagsCount() {
        ArenaLayout layout = ArenaLayout.peer(2, 80L << 30);
        assertThat(layout.most(KernelPlan.ll128(2, 64, 0))).isEqualTo(4L * (1 << 20) * 3840);
    }

    /** Devices that are sold: V100, RTX 2060, A100, RTX 3060, RTX 4060, H100, B200, RTX 5050, RTX 5090. */
    static Stream<GpuClass> classes() {
        return Stream.of(
                new GpuClass(70, 80, 2048),
                new GpuClass(75, 30, 1024),
                new GpuClass(80, 108, 2048),
                new GpuClass(86, 28, 1536),
                new GpuClass(89, 24, 1536),
                GpuClass.H200,
                new GpuClass(100, 148, 2048),
                new GpuClass(120, 20, 1536),
                new GpuClass(120, 170, 1536));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void shippedPlansRunAtOnceOnEveryClass(GpuClass weakest) {
        ArenaLayout small = ArenaLayout.peer(2, 8L << 30);
        ArenaLayout large = ArenaLayout.peer(2, 140L << 30);
        for (ArenaLayout layout : new ArenaLayout[] {small, large}) {
            everyPlanFitsItsSlotsAndABlock("nvlink", GpuTuner.nvlinkPair(layout, weakest), layout);
            everyPlanFitsItsSlotsAndABlock("pcie", GpuTuner.pciePair(layout, weakest), layout);
        }
        everyPlanFitsItsSlotsAndABlock("host", GpuTuner.hostPair(weakest), ArenaLayout.host(2));
        for (long bytes = 1; bytes <= 1L << 40; bytes *= 2) {
            for (GpuTuner tuner : new GpuTuner[] {
                GpuTuner.nvlinkPair(small, weakest), GpuTuner.pciePair(small, weakest), GpuTuner.hostPair(weakest)
            }) {
                KernelPlan plan = tuner.plan(bytes);
                assertThat(plan.runs(weakest)).as("%s on %s", plan, weakest).isTrue();
            }
        }
    }

    /** Kernels that serve small messages may overlap, those that fill a device not. */
    @Test
    void smallKernelsOverlap() {
        GpuTuner tuner = GpuTuner.nvlinkPair(ArenaLayout.peer(2, 140L << 30), GpuClass.H200);
        for (long bytes : new long[] {8, 1 << 10, 16 << 10, 256 << 10, 1 << 20}) {
            assertThat(threads(tuner.plan(bytes))).isLessThanOrEqualTo(GpuClass.H200.overlapping());
        }
        assertThat(threads(tuner.plan(1 << 30))).isGreaterThan(GpuClass.H200.overlapping());
    }

    private static long threads(KernelPlan plan) {
        return (long) plan.blocks() * (plan.threads() + plan.family().extraThreads());
    }

    @Test
    void slowerLinksTakeLargeMessagesPlansSooner() {
        ArenaLayout layout = ArenaLayout.peer(2, 24L << 30);
        GpuTuner measured = GpuTuner.nvlinkPair(layout, GpuClass.H200);
        GpuTuner slow = GpuTuner.nvlinkPair(layout, new GpuClass(86, 82, 1536));
        assertThat(measured.plan(100 << 10).family()).isEqualTo(Family.LL2);
        assertThat(slow.plan(100 << 10).family()).isEqualTo(Family.LL128);
        assertThat(slow.plan(8)).isEqualTo(measured.plan(8));
    }

    @Test
    void fileDecidesWhereItSaysSo() {
        ArenaLayout layout = ArenaLayout.peer(2, 140L << 30);
        GpuTuner shipped = GpuTuner.nvlinkPair(layout, GpuClass.H200);
        TuningFile file = TuningFile.parse("t", """
                mini-nccl tuning 1
                [gpu ranks=2 nvlink]
                64 LL2 2 96 0 0
                4096 shipped
                65536 LL128 32 64 1 4
                """);
        GpuTuner tuned = shipped.with(file.rows(TuningFile.gpuSection(2, "nvlink")), layout, GpuClass.H200);
        assertThat(tuned.plan(64)).isEqualTo(new KernelPlan(Family.LL2, 2, 96, 0, 0));
        assertThat(tuned.plan(65536)).isEqualTo(new KernelPlan(Family.LL128, 32, 64, 1, 4));
        for (long bytes : new long[] {65, 512, 513, 2048, 4096, 65537, 1 << 20, 1L << 40}) {
            assertThat(tuned.plan(bytes)).as("%d bytes", bytes).isEqualTo(shipped.plan(bytes));
        }
        assertThat(shipped.with(List.of(), layout, GpuClass.H200).plan(1 << 20)).isEqualTo(shipped.plan(1 << 20));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LL3 1 64 0 0",
                "LL2 1 64",
                "LL2 1 65 0 0",
                "LL2 1 1024 0 0",
                "LL2 0 64 0 0",
                "LL2 9999 64 0 0",
                "EXCHANGE 3 64 64 2",
                "EXCHANGE 4 64 0 2",
                "EXCHANGE 128 1024 999999 4",
                "TWOSHOT 4 64 0 0",
                "LL_TWOSHOT 1 544 0 0",
                "LL128_TWOSHOT 999 64 0 0",
                "MESH 64 512 1024 3"
            })
    void planThatCannotRunIsRefused(String way) {
        ArenaLayout layout = ArenaLayout.peer(2, 140L << 30);
        GpuTuner shipped = GpuTuner.nvlinkPair(layout, GpuClass.H200);
        List<TuningFile.Row> rows = List.of(new TuningFile.Row(64, way, "t line 3"));
        assertThatThrownBy(() -> shipped.with(rows, layout, GpuClass.H200))
                .hasMessageContaining("t line 3, '" + way + "': must be");
    }

    @Test
    void regionsLieBehindOneAnother() {
        for (int ranks = 2; ranks <= KernelArguments.MAX_RANKS; ranks++) {
            for (ArenaLayout layout : new ArenaLayout[] {ArenaLayout.peer(ranks, 8L << 30), ArenaLayout.host(ranks)}) {
                long ll = layout.region(Family.LL);
                assertThat(ll).isEqualTo(layout.region(Family.LL2)).isGreaterThan(layout.region(Family.TWOSHOT));
                assertThat(layout.region(Family.LL128)).isEqualTo(ll + 2L * ranks * layout.lines() * 16);
                assertThat(layout.region(Family.EXCHANGE)).isGreaterThanOrEqualTo(layout.region(Family.LL128));
                assertThat(layout.region(Family.LL128_TWOSHOT)).isGreaterThan(layout.region(Family.EXCHANGE));
                assertThat(layout.region(Family.MESH))
                        .isEqualTo(layout.region(Family.LL128_TWOSHOT) + 4L * ranks * layout.partTiles() * 4096);
                assertThat(layout.region(Family.RING)).isGreaterThan(layout.region(Family.MESH) + layout.meshBytes());
                assertThat(2L * ranks * ArenaLayout.MESH_DEPTH * layout.meshSlot())
                        .isLessThanOrEqualTo(layout.bank(Family.MESH));
                assertThat(layout.partsRegion())
                        .isEqualTo(layout.region(Family.RING)
                                + ArenaLayout.FLAG_BYTES
                                + layout.ringBytes()
                                + layout.bank(Family.RING));
                assertThat(layout.bytes())
                        .isEqualTo(
                                layout.partsRegion() + 64 * 18 * 128 + ArenaLayout.PART_CHANNELS * layout.partsBank());
                assertThat(Integer.bitCount(layout.lines())).isOne();
            }
        }
    }

    @Test
    void hostArenasOfTwoRanksFitADefaultContainer() {
        assertThat(2 * ArenaLayout.host(2).bytes()).isLessThan(64L << 20);
    }

    @Test
    void fileDecidesForManyRanksToo() {
        ArenaLayout layout = ArenaLayout.peer(4, 140L << 30);
        GpuTuner shipped = ManyRanks.nvlink(4, layout, GpuClass.H200);
        TuningFile file = TuningFile.parse("t", """
                mini-nccl tuning 1
                [gpu ranks=4 nvlink]
                65536 LL_TWOSHOT 8 128 0 0
                262144 LL128_TWOSHOT 64 64 0 0
                33554432 MESH 32 512 1024 3
                """);
        GpuTuner tuned = shipped.with(file.rows(TuningFile.gpuSection(4, "nvlink")), layout, GpuClass.H200);
        assertThat(tuned.plan(65536)).isEqualTo(new KernelPlan(Family.LL_TWOSHOT, 8, 128, 0, 0));
        assertThat(tuned.plan(262144)).isEqualTo(new KernelPlan(Family.LL128_TWOSHOT, 64, 64, 0, 0));
        assertThat(tuned.plan(33554432)).isEqualTo(KernelPlan.mesh(32, 512, 16384));
        assertThat(tuned.plan(33554433)).isEqualTo(shipped.plan(33554433));
        List<TuningFile.Row> pair = List.of(new TuningFile.Row(64, "LL2 1 64 0 0", "t line 3"));
        assertThatThrownBy(() -> shipped.with(pair, layout, GpuClass.H200)).hasMessageContaining("LL2 1 64 0 0");
    }

    @Test
    void measuredTablesAreRead() {
        GpuTuner tuner = GpuTuner.of("1024 LL2 1 128 0 0\n9223372036854775807 EXCHANGE 128 1024 16384 4\n");
        assertThat(tuner.plan(1024)).isEqualTo(new KernelPlan(Family.LL2, 1, 128, 0, 0));
        assertThat(tuner.plan(1025)).isEqualTo(new KernelPlan(Family.EXCHANGE, 128, 1024, 16384, 4));
        assertThatThrownBy(() -> GpuTuner.of("1024 LL2 1")).hasMessageContaining("1024 LL2 1");
    }
}
