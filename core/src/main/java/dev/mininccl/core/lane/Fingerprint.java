package dev.mininccl.core.lane;

/**
 * The 64 bits that stand for an operation: they travel with its first slices, and ranks that disagree about it see that
 * they differ. The sequence number is part of it, so that a rank which skipped an operation is found out too.
 */
public final class Fingerprint {

    /** Odd constants without pattern: differences of the parts do not cancel out. */
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private static final long SILVER = 0xD1B54A32D192ED03L;
    private static final long BRONZE = 0x8CB92BA72F3D8DD7L;

    private Fingerprint() {}

    /**
     * Mixes what ranks must agree on.
     *
     * @param communicator random, the same on all ranks
     * @param sequence the operation's place in the communicator's order
     * @param kind the collective
     * @param type the element type's code
     * @param op the reduction's code
     * @param root the root, or 0
     * @param count elements
     * @return not 0
     */
    public static long of(long communicator, long sequence, int kind, int type, int op, int root, long count) {
        long what = ((long) kind << 48) ^ ((long) type << 40) ^ ((long) op << 32) ^ root;
        // Multiplied side by side, mixed once: this is on the way of the smallest operations.
        long mixed = mix(communicator + sequence * GOLDEN + what * SILVER + count * BRONZE);
        return mixed == 0 ? GOLDEN : mixed;
    }

    /** Every input bit changes many of the output's. */
    private static long mix(long z) {
        z = (z ^ (z >>> 32)) * 0xff51afd7ed558ccdL;
        return z ^ (z >>> 29);
    }
}
