package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ErrnoCapture;
import dev.mininccl.bindings.posix.Limits;

/** The three ways in which libibverbs reports errors, one method each, and hints for those that people meet. */
final class Dialects {
    private Dialects() {}

    /** A pointer, or NULL and {@code errno}. */
    static long nullable(long pointer, ErrnoCapture errno, String call) {
        if (pointer == 0) {
            throw new VerbsException(call, errno.value(), hint(errno.value()));
        }
        return pointer;
    }

    /** 0, or the error number itself. */
    static void errorValue(int error, String call) {
        if (error != 0) {
            throw new VerbsException(call, error, hint(error));
        }
    }

    /** A count or 0, or less than 0 and {@code errno}. */
    static int negative(int result, ErrnoCapture errno, String call) {
        if (result < 0) {
            throw new VerbsException(call, errno.value(), hint(errno.value()));
        }
        return result;
    }

    private static String hint(int error) {
        return switch (error) {
            case Errno.ENOMEM -> memoryHint();
            case Errno.EACCES, Errno.EPERM ->
                "the process may not use the device; in a container pass --device=/dev/infiniband";
            case Errno.EBUSY -> "something made from it is still open, or an event of it is not acknowledged";
            default -> "";
        };
    }

    private static String memoryHint() {
        long limit = Limits.LOCKED_MEMORY.get().soft();
        return limit == Limits.INFINITY
                ? "locked memory is not limited here, so the device or the machine is out of memory"
                : "locked memory is limited to " + limit / 1024
                        + " KiB; raise it with ulimit -l unlimited, memlock in /etc/security/limits.conf, LimitMEMLOCK="
                        + " in a systemd unit, or --ulimit memlock=-1 for a container";
    }
}
