package dev.mininccl.hera.worker;

import dev.mininccl.core.ResultCode;

/** The master answered, and the answer is no. */
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final ResultCode code;

    RefusedException(ResultCode code, String why) {
        super(why);
        this.code = code;
    }

    /** The result code for the caller. */
    public ResultCode code() {
        return code;
    }
}
