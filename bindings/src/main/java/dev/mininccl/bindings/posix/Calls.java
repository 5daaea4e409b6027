package dev.mininccl.bindings.posix;

/** What every wrapper of a native call shares. */
final class Calls {
    private Calls() {}

    /** Turns what {@code invokeExact} declares, but native code never throws, into something unchecked. */
    static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException exception ? exception : new IllegalStateException(thrown);
    }

    /** Passes a result that is not negative on; otherwise throws with the captured error. */
    static int check(int result, ErrnoCapture errno, String call) {
        if (result < 0) {
            throw new PosixException(call, errno.value());
        }
        return result;
    }
}
