package dev.mininccl.core.tuning;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.tuning.Plan.Algorithm;
import java.util.List;

/**
 * Picks the plan for a size from a table that is made once, with one row a power of two. The thresholds are measured
 * defaults (docs/PERFORMANCE.md); all ranks make the same table from the same traits, settings and file.
 */
public final class Tuner {

    private static final int ROWS = 64;

    /** Words of a tuning file: what the slices of an algorithm go through. */
    private static final String SLOTS = "slots";

    private static final String REFERENCE = "reference";

    private final Plan[] byLog2 = new Plan[ROWS];
    private final long leastShare;

    /**
     * Makes the table.
     *
     * @throws InvalidCallException if the setting ALGORITHM names none, or the file has a row that is wrong
     */
    public Tuner(LaneTraits traits, Settings settings, TuningFile file) {
        leastShare = traits.network() ? Thresholds.LEAST_SHARE_NETWORK : Thresholds.LEAST_SHARE_SHARED;
        Algorithm forced = forced(settings.text(Setting.ALGORITHM));
        boolean reproducible = settings.flag(Setting.REPRODUCIBLE);
        List<TuningFile.Row> measured = file.rows(TuningFile.hostSection(traits.ranks(), traits.network()));
        for (int row = 0; row < ROWS; row++) {
            long bytes = row == 0 ? 1 : 1L << Math.min(row, 62);
            Plan shipped = plan(traits, bytes, forced, reproducible);
            byLog2[row] = forced != null ? shipped : measured(measured, bytes, shipped, traits, reproducible);
        }
    }

    /** What the first row that is large enough says; its sizes are powers of two, as the table's. */
    private static Plan measured(
            List<TuningFile.Row> rows, long bytes, Plan shipped, LaneTraits traits, boolean reproducible) {
        for (TuningFile.Row row : rows) {
            Plan plan = row.shipped() ? shipped : plan(row, bytes, traits);
            if (bytes <= row.limit()) {
                return reproducible && plan.algorithm() == Algorithm.RING ? shipped : plan;
            }
        }
        return shipped;
    }

    private static Plan plan(TuningFile.Row row, long bytes, LaneTraits traits) {
        String[] words = row.way().split(" ", -1);
        Algorithm algorithm = named(words[0]);
        boolean reference = words[words.length - 1].equals(REFERENCE);
        if (algorithm == null
                || words.length != 2
                || !(reference || words[1].equals(SLOTS))
                || (reference && algorithm == Algorithm.ONE_SHOT)) {
            throw row.refused("shipped, one-shot slots, two-shot slots, two-shot reference, or ring slots");
        }
        boolean byReference = reference && algorithm == Algorithm.TWO_SHOT && traits.referenceBytes() > 0;
        int slice = byReference ? traits.referenceBytes() : traits.slotBytes();
        return new Plan(algorithm, slice, byReference, bytes > Thresholds.WINDOW_FROM);
    }

    /** The plan for a message. */
    public Plan plan(long bytes) {
        // Row k serves (2^(k-1), 2^k].
        return byLog2[64 - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1)];
    }

    /** The bytes from which on a further channel takes part. */
    public long leastShare() {
        return leastShare;
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

    private static Algorithm named(String label) {
        for (Algorithm algorithm : Algorithm.values()) {
            if (algorithm.label().equals(label)) {
                return algorithm;
            }
        }
        return null;
    }

    private static Algorithm forced(String label) {
        Algorithm algorithm = named(label);
        if (algorithm != null) {
            return algorithm;
        }
        if (label.equals("auto")) {
            return null;
        }
        throw new InvalidCallException(
                Setting.ALGORITHM.variable() + "=" + label + ": must be auto, one-shot, two-shot or ring");
    }
}
