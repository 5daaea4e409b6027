package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KernelPlansTest {
    private static final int MOST_THREADS = 1024;

    static Stream<Arguments> tables() {
        ArenaLayout large = ArenaLayout.peer(2, 140L << 30);
        ArenaLayout small = ArenaLayout.peer(2, 8L << 30);
        ArenaLayout eight = ArenaLayout.peer(8, 140L << 30);
        ArenaLayout host = ArenaLayout.host(2);
        ArenaLayout hostFour = ArenaLayout.host(4);
        return Stream.of(
                Arguments.of("nvlink pair", GpuTuner.nvlinkPair(large), large),
                Arguments.of("nvlink pair, small device", GpuTuner.nvlinkPair(small), small),
                Arguments.of("pcie pair", GpuTuner.pciePair(large), large),
                Arguments.of("pcie pair, small device", GpuTuner.pciePair(small), small),
                Arguments.of("host pair", GpuTuner.hostPair(), host),
                Arguments.of("eight ranks", GpuTuner.many(8, 132, eight), eight),
                Arguments.of("four ranks, few multiprocessors", GpuTuner.many(4, 3, hostFour), hostFour));
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
    void regionsLieBehindOneAnother() {
        for (int ranks = 2; ranks <= KernelArguments.MAX_RANKS; ranks++) {
            for (ArenaLayout layout : new ArenaLayout[] {ArenaLayout.peer(ranks, 8L << 30), ArenaLayout.host(ranks)}) {
                long ll = layout.region(Family.LL);
                assertThat(ll).isEqualTo(layout.region(Family.LL2)).isGreaterThan(layout.region(Family.TWOSHOT));
                assertThat(layout.region(Family.LL128)).isEqualTo(ll + 2L * ranks * layout.lines() * 16);
                assertThat(layout.region(Family.EXCHANGE)).isGreaterThanOrEqualTo(layout.region(Family.LL128));
                assertThat(layout.region(Family.RING)).isGreaterThan(layout.region(Family.EXCHANGE));
                assertThat(layout.bytes())
                        .isEqualTo(layout.region(Family.RING)
                                + ArenaLayout.FLAG_BYTES
                                + layout.ringBytes()
                                + layout.bank(Family.RING));
                assertThat(Integer.bitCount(layout.lines())).isOne();
            }
        }
    }

    @Test
    void hostArenasOfTwoRanksFitADefaultContainer() {
        assertThat(2 * ArenaLayout.host(2).bytes()).isLessThan(64L << 20);
    }

    @Test
    void measuredTablesAreRead() {
        GpuTuner tuner = GpuTuner.of("1024 LL2 1 128 0 0\n9223372036854775807 EXCHANGE 128 1024 16384 4\n");
        assertThat(tuner.plan(1024)).isEqualTo(new KernelPlan(Family.LL2, 1, 128, 0, 0));
        assertThat(tuner.plan(1025)).isEqualTo(new KernelPlan(Family.EXCHANGE, 128, 1024, 16384, 4));
        assertThatThrownBy(() -> GpuTuner.of("1024 LL2 1")).hasMessageContaining("1024 LL2 1");
    }
}
