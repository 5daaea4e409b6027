package dev.mininccl.core.tuning;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.tuning.Plan.Algorithm;

/**
 * Picks the plan for a size from a table that is made once, with one row a power of two. The thresholds are measured
 * defaults (docs/PERFORMANCE.md); all ranks make the same table from the same traits and settings.
 */
public final class Tuner {

    private static final int ROWS = 64;

    private final Plan[] byLog2 = new Plan[ROWS];

    /**
     * Makes the table.
     *
     * @throws InvalidCallException if the setting ALGORITHM names none
     */
    public Tuner(LaneTraits traits, Settings settings) {
        Algorithm forced = forced(settings.text(Setting.ALGORITHM));
        boolean reproducible = settings.flag(Setting.REPRODUCIBLE);
        for (int row = 0; row < ROWS; row++) {
            byLog2[row] = plan(traits, row == 0 ? 1 : 1L << Math.min(row, 62), forced, reproducible);
        }
    }

    /** The plan for a message. */
    public Plan plan(long bytes) {
        // Row k serves (2^(k-1), 2^k].
        return byLog2[64 - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1)];
    }

    private static Plan plan(LaneTraits traits, long bytes, Algorithm forced, boolean reproducible) {
        boolean references =
                traits.referenceBytes() > 0 && bytes > Thresholds.REFERENCE_FROM && bytes <= Thresholds.REFERENCE_TO;
        Algorithm algorithm = forced != null ? forced : algorithm(traits, bytes, references, reproducible);
        // A one-shot exchange by reference would read memory that an in-place peer is already overwriting.
        boolean byReference = references && algorithm == Algorithm.TWO_SHOT;
        int slice = byReference ? traits.referenceBytes() : traits.slotBytes();
        return new Plan(algorithm, slice, byReference, bytes > Thresholds.WINDOW_FROM);
    }

    private static Algorithm algorithm(LaneTraits traits, long bytes, boolean references, boolean reproducible) {
        if (traits.ranks() == 2) {
            long oneShotTo = traits.network() ? Thresholds.PAIR_ONE_SHOT_NETWORK : Thresholds.PAIR_ONE_SHOT_SHARED;
            return bytes <= oneShotTo && !references ? Algorithm.ONE_SHOT : Algorithm.TWO_SHOT;
        }
        if (bytes <= Thresholds.MANY_ONE_SHOT) {
            return Algorithm.ONE_SHOT;
        }
        // The ring's order of operands depends on the element's place; the two-shot's does not.
        boolean direct = reproducible || !traits.network() || bytes <= Thresholds.MANY_TWO_SHOT_NETWORK;
        return direct ? Algorithm.TWO_SHOT : Algorithm.RING;
    }

    private static Algorithm forced(String label) {
        for (Algorithm algorithm : Algorithm.values()) {
            if (algorithm.label().equals(label)) {
                return algorithm;
            }
        }
        if (label.equals("auto")) {
            return null;
        }
        throw new InvalidCallException(
                Setting.ALGORITHM.variable() + "=" + label + ": must be auto, one-shot, two-shot or ring");
    }
}
