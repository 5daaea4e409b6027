package dev.mininccl.bindings.posix;

/** A call into libc failed. The message holds the call with what it was about, and the error's name, number and text. */
public final class PosixException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * Creates the exception.
     *
     * @param call the function and what it was asked, for example {@code open /dev/shm/x}
     * @param errno the error number, not negated
     */
    public PosixException(String call, int errno) {
        super(call + ": " + Errno.describe(errno));
        this.errno = errno;
    }

    /**
     * The error number.
     *
     * @return one of {@link Errno}'s, or another
     */
    public int errno() {
        return errno;
    }
}
