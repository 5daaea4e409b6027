package dev.mininccl.core;

/** What a call came to, with the values of {@code nccl.h} ({@code ncclResult_t}). */
public enum ResultCode {
    /** All went well. */
    SUCCESS(0),
    /** A call to CUDA failed. */
    UNHANDLED_CUDA_ERROR(1),
    /** A call to the operating system failed. */
    SYSTEM_ERROR(2),
    /** A defect of this library. */
    INTERNAL_ERROR(3),
    /** An argument is out of range. */
    INVALID_ARGUMENT(4),
    /** The call is not allowed now, or ranks disagree about it. */
    INVALID_USAGE(5),
    /** Another rank, or the way to it, failed. */
    REMOTE_ERROR(6),
    /** An asynchronous operation is still under way. */
    IN_PROGRESS(7);

    private final int code;

    ResultCode(int code) {
        this.code = code;
    }

    /**
     * The value in {@code nccl.h}.
     *
     * @return 0 to 7
     */
    public int code() {
        return code;
    }
}
