package dev.mininccl.core;

/** The process cannot go on with this library: a flag, a permission or a native library is missing. */
public final class ProcessException extends NcclException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param code NCCL's result code
     * @param message what is missing and how to get it
     * @param cause what was caught, or {@code null}
     */
    public ProcessException(ResultCode code, String message, Throwable cause) {
        super(code, -1, -1, message, cause);
    }
}
