package dev.mininccl.core.schedule;

/**
 * The collectives. All but all-reduce work on as many equal parts as there are ranks, and their counts are those of one part:
 * rank r's part begins r counts into the whole.
 */
public enum Collective {
    /** Everyone gets the reduction of all inputs. */
    ALL_REDUCE(1, "all_reduce", true, true),
    /** Everyone gets all inputs, one after the other. */
    ALL_GATHER(2, "all_gather", false, true),
    /** Each rank gets its part of the reduction of all inputs. */
    REDUCE_SCATTER(3, "reduce_scatter", true, false);

    private static final Collective[] BY_CODE = values();

    private final int code;
    private final String label;
    private final boolean reduces;
    private final boolean gathers;

    Collective(int code, String label, boolean reduces, boolean gathers) {
        this.code = code;
        this.label = label;
        this.reduces = reduces;
        this.gathers = gathers;
    }

    /** Its place in fingerprints, from 1. */
    public int code() {
        return code;
    }

    /** As nccl-tests calls it. */
    public String label() {
        return label;
    }

    /** Whether inputs are reduced. */
    public boolean reduces() {
        return reduces;
    }

    /** Whether results go to everyone. */
    public boolean gathers() {
        return gathers;
    }

    /** How many parts an input has. */
    public int inputs(int ranks) {
        return this == REDUCE_SCATTER ? ranks : 1;
    }

    /** How many parts an output has. */
    public int outputs(int ranks) {
        return this == ALL_GATHER ? ranks : 1;
    }

    /** How many parts the larger of input and output has. */
    public int parts(int ranks) {
        return this == ALL_REDUCE ? 1 : ranks;
    }

    /** The place of an input in the larger buffer, in parts: the rank's own where it is the only one of several. */
    public int inputPlace(int rank) {
        return this == ALL_GATHER ? rank : 0;
    }

    /** The place of an output in the larger buffer, likewise. */
    public int outputPlace(int rank) {
        return this == REDUCE_SCATTER ? rank : 0;
    }

    /** The one with a code. */
    public static Collective ofCode(int code) {
        return BY_CODE[code - 1];
    }

    /** What a rank called, for people. */
    public String describe(long count, String type, String op) {
        return label + " of " + count + " " + type + (reduces ? ", " + op : "");
    }
}
