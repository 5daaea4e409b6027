package dev.mininccl.core;

/**
 * Reduction operations. {@link #code()} equals the value in {@code nccl.h} ({@code ncclRedOp_t}).
 */
public enum ReduceOp {
    /** The sum. */
    SUM(0),
    /** The product. */
    PROD(1),
    /** The greatest value; NaN if any is NaN, and -0 is less than +0. */
    MAX(2),
    /** The least value; NaN if any is NaN, and -0 is less than +0. */
    MIN(3),
    /** The sum, divided by the number of ranks once at the end; integers are cut towards zero. */
    AVG(4);

    private static final ReduceOp[] BY_CODE = values();

    private final int code;

    ReduceOp(int code) {
        this.code = code;
    }

    /**
     * The value in {@code nccl.h}.
     *
     * @return 0 to 4
     */
    public int code() {
        return code;
    }

    /**
     * The name that nccl-tests prints and takes.
     *
     * @return for example {@code sum}
     */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /**
     * The operation with a given value of {@code nccl.h}.
     *
     * @param code the value
     * @return the operation
     * @throws InvalidCallException if there is none
     */
    public static ReduceOp ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new InvalidCallException("reduction " + code + ": must be 0 to " + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
