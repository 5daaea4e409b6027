package dev.mininccl.core;

import java.util.Objects;

/**
 * A call failed. The subclass tells what must be built anew: nothing ({@link InvalidCallException}), the communicator
 * ({@link CommunicatorException}), or the process ({@link ProcessException}).
 */
public abstract class NcclException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The result code. */
    private final ResultCode code;

    /** The rank that throws, or -1. */
    private final int rank;

    /** The sequence number, or -1. */
    private final long sequence;

    /**
     * Creates the exception.
     *
     * @param code NCCL's result code
     * @param rank the rank that throws it, or -1 where none is known
     * @param sequence the operation's sequence number, or -1 outside an operation
     * @param message what happened, to whom, with which values, and what to do next
     * @param cause what was caught, or {@code null}
     */
    protected NcclException(ResultCode code, int rank, long sequence, String message, Throwable cause) {
        super(message, cause);
        this.code = Objects.requireNonNull(code, "code");
        this.rank = rank;
        this.sequence = sequence;
    }

    /**
     * NCCL's result code.
     *
     * @return never {@link ResultCode#SUCCESS}
     */
    public ResultCode code() {
        return code;
    }

    /**
     * The rank that throws.
     *
     * @return the rank, or -1 where none is known
     */
    public int rank() {
        return rank;
    }

    /**
     * The sequence number of the operation, counted from 1 for each communicator.
     *
     * @return the number, or -1 outside an operation
     */
    public long sequence() {
        return sequence;
    }
}
