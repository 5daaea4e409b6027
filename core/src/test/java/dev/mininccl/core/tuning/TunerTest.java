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
            Tuner tuner = new Tuner(traits, Settings.defaults(), TuningFile.none());
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
        Tuner tuner = new Tuner(SHARED_PAIR, Settings.defaults(), TuningFile.none());
        assertThat(tuner.plan(Thresholds.REFERENCE_FROM).byReference()).isFalse();
        assertThat(tuner.plan(Thresholds.REFERENCE_FROM + 1).byReference()).isTrue();
        assertThat(tuner.plan(Thresholds.REFERENCE_TO).byReference()).isTrue();
        assertThat(tuner.plan(Thresholds.REFERENCE_TO + 1).byReference()).isFalse();
    }

    @Test
    void aSettingForcesAnAlgorithm() {
        Tuner tuner = new Tuner(NETWORK, Settings.defaults().with(Setting.ALGORITHM, "ring"), TuningFile.none());
        assertThat(tuner.plan(8).algorithm()).isEqualTo(Algorithm.RING);
        assertThatThrownBy(() ->
                        new Tuner(NETWORK, Settings.defaults().with(Setting.ALGORITHM, "tree"), TuningFile.none()))
                .hasMessageContaining("MINI_NCCL_ALGORITHM=tree");
    }

    @Test
    void reproducibleResultsNeverComeFromTheRing() {
        Tuner tuner = new Tuner(NETWORK, Settings.defaults().with(Setting.REPRODUCIBLE, "1"), TuningFile.none());
        for (int shift = 0; shift < 50; shift++) {
            assertThat(tuner.plan(1L << shift).algorithm()).isNotEqualTo(Algorithm.RING);
        }
    }

    @Test
    void aFileDecidesUpToItsLastRow() {
        TuningFile file = TuningFile.parse("t", """
                mini-nccl tuning 1
                [host ranks=2 memory]
                64 shipped      # the built-in way
                1024 two-shot slots
                65536 two-shot reference
                """);
        Tuner tuned = new Tuner(SHARED_PAIR, Settings.defaults(), file);
        Tuner shipped = new Tuner(SHARED_PAIR, Settings.defaults(), TuningFile.none());
        assertThat(tuned.plan(64)).isEqualTo(shipped.plan(64));
        assertThat(tuned.plan(65)).isEqualTo(new Plan(Algorithm.TWO_SHOT, SHARED_PAIR.slotBytes(), false, false));
        assertThat(tuned.plan(65536)).isEqualTo(new Plan(Algorithm.TWO_SHOT, SHARED_PAIR.referenceBytes(), true, true));
        assertThat(tuned.plan(65537)).isEqualTo(shipped.plan(65537));
        Tuner elsewhere = new Tuner(NETWORK, Settings.defaults(), file);
        assertThat(elsewhere.plan(512)).isEqualTo(new Tuner(NETWORK, Settings.defaults(), TuningFile.none()).plan(512));
        Settings forced = Settings.defaults().with(Setting.ALGORITHM, "one-shot");
        assertThat(new Tuner(SHARED_PAIR, forced, file).plan(512).algorithm()).isEqualTo(Algorithm.ONE_SHOT);
        LaneTraits slotsOnly = SHARED_PAIR.withoutReferences();
        assertThat(new Tuner(slotsOnly, Settings.defaults(), file).plan(65536).byReference())
                .isFalse();
    }

    @Test
    void reproducibleResultsDoNotComeFromAFilesRingEither() {
        TuningFile file = TuningFile.parse("t", "mini-nccl tuning 1\n[host ranks=4 network]\n1024 ring slots\n");
        Settings settings = Settings.defaults();
        assertThat(new Tuner(NETWORK, settings, file).plan(512).algorithm()).isEqualTo(Algorithm.RING);
        Settings reproducible = settings.with(Setting.REPRODUCIBLE, "1");
        assertThat(new Tuner(NETWORK, reproducible, file).plan(512).algorithm()).isNotEqualTo(Algorithm.RING);
    }

    @Test
    void aWrongRowIsNamed() {
        for (String way : new String[] {"tree slots", "one-shot reference", "two-shot", "ring slots x"}) {
            TuningFile file =
                    TuningFile.parse("my.table", "mini-nccl tuning 1\n[host ranks=2 memory]\n8 " + way + "\n");
            assertThatThrownBy(() -> new Tuner(SHARED_PAIR, Settings.defaults(), file))
                    .hasMessageContaining("my.table line 3, '" + way + "': must be shipped, one-shot slots");
        }
    }
}
