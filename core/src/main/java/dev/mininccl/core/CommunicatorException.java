package dev.mininccl.core;

import dev.mininccl.core.spi.AbortReason;

/**
 * The communicator could not be built, or is broken for good: close it and join anew. The content of output buffers of
 * operations under way is undefined.
 */
public final class CommunicatorException extends NcclException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param code NCCL's result code
     * @param rank the rank that throws it, or -1
     * @param sequence the operation's sequence number, or -1
     * @param message what happened, to whom, with which values, and what to do next
     * @param cause what was caught, or {@code null}
     */
    public CommunicatorException(ResultCode code, int rank, long sequence, String message, Throwable cause) {
        super(code, rank, sequence, message, cause);
    }

    /**
     * The exception of an aborted communicator.
     *
     * @param reason the first reason
     * @param rank the rank that throws
     * @param sequence the operation that this rank was in, or -1
     * @return the exception, not thrown
     */
    public static CommunicatorException aborted(AbortReason reason, int rank, long sequence) {
        ResultCode code = switch (reason.kind()) {
            case PEER_LOST, TIMEOUT, CLOSED -> ResultCode.REMOTE_ERROR;
            case MISMATCH -> ResultCode.INVALID_USAGE;
            case TRANSPORT -> ResultCode.SYSTEM_ERROR;
            case INTERNAL -> ResultCode.INTERNAL_ERROR;
        };
        return new CommunicatorException(code, rank, sequence, reason.message(), null);
    }
}
