package dev.mininccl.core;

/** An argument is out of range, or the call is not allowed now. Nothing was done and nothing is lost: correct the call. */
public final class InvalidCallException extends NcclException {

    private static final long serialVersionUID = 1L;

    /**
     * An argument is out of range.
     *
     * @param message the argument's name, its value, and what is allowed
     */
    public InvalidCallException(String message) {
        super(ResultCode.INVALID_ARGUMENT, -1, -1, message, null);
    }

    /**
     * The call is not allowed.
     *
     * @param code {@link ResultCode#INVALID_ARGUMENT} or {@link ResultCode#INVALID_USAGE}
     * @param message what is not allowed, and what to do instead
     */
    public InvalidCallException(ResultCode code, String message) {
        super(code, -1, -1, message, null);
    }
}
