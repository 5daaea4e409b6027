package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Limits of this process ({@code sys/resource.h}). */
public enum Limits {
    /** Open files: sockets count. */
    OPEN_FILES(7, "RLIMIT_NOFILE"),
    /** Bytes of locked memory: what may be registered with RDMA devices. */
    LOCKED_MEMORY(8, "RLIMIT_MEMLOCK");

    /** The value of a limit that is none. */
    public static final long INFINITY = -1;

    private static final long RLIMIT_BYTES = 16;
    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final FunctionDescriptor RLIMIT = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle GETRLIMIT = LIBC.errnoHandle("getrlimit", RLIMIT);
    private static final MethodHandle SETRLIMIT = LIBC.errnoHandle("setrlimit", RLIMIT);

    private final int resource;
    private final String constant;

    Limits(int resource, String constant) {
        this.resource = resource;
        this.constant = constant;
    }

    /**
     * A limit's two values, {@link #INFINITY} (-1) for none.
     *
     * @param soft what counts now
     * @param hard up to where this process may raise it
     */
    public record Value(long soft, long hard) {}

    /**
     * Reads the limit.
     *
     * @return its values
     * @throws PosixException if it cannot be read
     */
    public Value get() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(RLIMIT_BYTES, Long.BYTES);
            int result = (int) GETRLIMIT.invokeExact(errno.segment(), resource, limit);
            Calls.check(result, errno, "getrlimit " + constant);
            return new Value(limit.get(JAVA_LONG, 0), limit.get(JAVA_LONG, 8));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Changes the limit.
     *
     * @param value the new values
     * @throws PosixException with {@code EPERM} if the hard value rises without privilege, {@code EINVAL} if soft exceeds hard
     */
    public void set(Value value) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(RLIMIT_BYTES, Long.BYTES);
            limit.set(JAVA_LONG, 0, value.soft());
            limit.set(JAVA_LONG, 8, value.hard());
            int result = (int) SETRLIMIT.invokeExact(errno.segment(), resource, limit);
            Calls.check(
                    result, errno, "setrlimit " + constant + " to " + value.soft() + " (hard " + value.hard() + ")");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Raises the soft value to the hard one, which needs no privilege.
     *
     * @return the values afterwards
     * @throws PosixException if it cannot be changed
     */
    public Value raise() {
        Value now = get();
        if (now.soft() != now.hard()) {
            set(new Value(now.hard(), now.hard()));
        }
        return get();
    }
}
