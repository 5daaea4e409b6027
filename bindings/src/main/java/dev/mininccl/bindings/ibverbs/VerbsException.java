package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.posix.Errno;

/** A verbs call at set-up failed. The message holds the call, what it was about, the error, and where there is one a hint. */
public final class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    VerbsException(String call, int errno, String hint) {
        super(call + ": " + Errno.describe(errno) + (hint.isEmpty() ? "" : "; " + hint));
        this.errno = errno;
    }

    /**
     * The error number.
     *
     * @return as in {@link Errno}
     */
    public int errno() {
        return errno;
    }
}
