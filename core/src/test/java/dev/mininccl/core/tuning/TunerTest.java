package dev.mininccl.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.tuning.Plan.Algorithm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TunerTest {

    private static final LaneTraits SHARED_PAIR = new LaneTraits(2, 131072, 262144, false);
    private static final LaneTraits NETWORK = new LaneTraits(4, 524288, 0, true);

    @Test
    void everySizeHasAPlanThatFitsTheLanes() {
        for (LaneTraits traits : new LaneTraits[] {SHARED_PAIR, NETWORK}) {
            Tuner tuner = new Tuner(traits, Settings.defaults());
            for (int shift = 0; shift < 63; shift++) {
                for (long bytes : new long[] {(1L << shift) - 1, 1L << shift, (1L << shift) + 1}) {
                    Plan plan = tuner.plan(bytes);
                    assertThat(plan.sliceBytes())
                            .isLessThanOrEqualTo(plan.byReference() ? traits.referenceBytes() : traits.slotBytes());
                    assertThat(plan.byReference()).isIn(false, traits.referenceBytes() > 0);
                    assertThat(plan.byReference() && plan.algorithm() == Algorithm.ONE_SHOT)
                            .isFalse();
                }
            }
        }
    }

    @Test
    void aRowServesUpToItsPowerOfTwo() {
        Tuner tuner = new Tuner(SHARED_PAIR, Settings.defaults());
        assertThat(tuner.plan(Thresholds.REFERENCE_FROM).byReference()).isFalse();
        assertThat(tuner.plan(Thresholds.REFERENCE_FROM + 1).byReference()).isTrue();
        assertThat(tuner.plan(Thresholds.REFERENCE_TO).byReference()).isTrue();
        assertThat(tuner.plan(Thresholds.REFERENCE_TO + 1).byReference()).isFalse();
    }

    @Test
    void aSettingForcesAnAlgorithm() {
        Tuner tuner = new Tuner(NETWORK, Settings.defaults().with(Setting.ALGORITHM, "ring"));
        assertThat(tuner.plan(8).algorithm()).isEqualTo(Algorithm.RING);
        assertThatThrownBy(() -> new Tuner(NETWORK, Settings.defaults().with(Setting.ALGORITHM, "tree")))
                .hasMessageContaining("MINI_NCCL_ALGORITHM=tree");
    }

    @Test
    void reproducibleResultsNeverComeFromTheRing() {
        Tuner tuner = new Tuner(NETWORK, Settings.defaults().with(Setting.REPRODUCIBLE, "1"));
        for (int shift = 0; shift < 50; shift++) {
            assertThat(tuner.plan(1L << shift).algorithm()).isNotEqualTo(Algorithm.RING);
        }
    }
}
