package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeLibraries;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Error numbers of Linux as in {@code errno.h} (one numbering on x86-64 and aarch64), their names and texts. */
@SuppressWarnings("restricted")
public final class Errno {
    /** Operation not permitted. */
    public static final int EPERM = 1;
    /** No such file or directory. */
    public static final int ENOENT = 2;
    /** No such process. */
    public static final int ESRCH = 3;
    /** A signal came first. */
    public static final int EINTR = 4;
    /** Input/output error. */
    public static final int EIO = 5;
    /** Bad file descriptor. */
    public static final int EBADF = 9;
    /** Try again; a non-blocking call would have blocked. Equals {@code EWOULDBLOCK}. */
    public static final int EAGAIN = 11;
    /** Out of memory, or over a limit such as that on locked memory. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address. */
    public static final int EFAULT = 14;
    /** Device or resource busy. */
    public static final int EBUSY = 16;
    /** File exists. */
    public static final int EEXIST = 17;
    /** No such device. */
    public static final int ENODEV = 19;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** Too many open files in the system. */
    public static final int ENFILE = 23;
    /** Too many open files in the process. */
    public static final int EMFILE = 24;
    /** No space left on device. */
    public static final int ENOSPC = 28;
    /** Broken pipe: the peer no longer reads. */
    public static final int EPIPE = 32;
    /** Function not implemented. */
    public static final int ENOSYS = 38;
    /** Protocol error. */
    public static final int EPROTO = 71;
    /** Operation not supported. Equals {@code ENOTSUP}. */
    public static final int EOPNOTSUPP = 95;
    /** Address family not supported. */
    public static final int EAFNOSUPPORT = 97;
    /** Address already in use. */
    public static final int EADDRINUSE = 98;
    /** Cannot assign the requested address. */
    public static final int EADDRNOTAVAIL = 99;
    /** Network is down. */
    public static final int ENETDOWN = 100;
    /** Network is unreachable. */
    public static final int ENETUNREACH = 101;
    /** Connection aborted. */
    public static final int ECONNABORTED = 103;
    /** Connection reset by the peer. */
    public static final int ECONNRESET = 104;
    /** No buffer space. */
    public static final int ENOBUFS = 105;
    /** Not connected. */
    public static final int ENOTCONN = 107;
    /** Timed out. */
    public static final int ETIMEDOUT = 110;
    /** Connection refused. */
    public static final int ECONNREFUSED = 111;
    /** No route to host. */
    public static final int EHOSTUNREACH = 113;
    /** In progress: a non-blocking connect has begun. */
    public static final int EINPROGRESS = 115;

    private static final long LONGEST_TEXT = 1024;
    private static final MethodHandle STRERROR =
            NativeLibraries.libc().handle("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Errno() {}

    /**
     * The symbolic name of an error number.
     *
     * @param errno the number, not negated
     * @return for example {@code EAGAIN}, or {@code errno 134} for one without a name here
     */
    public static String name(int errno) {
        return switch (errno) {
            case EPERM -> "EPERM";
            case ENOENT -> "ENOENT";
            case ESRCH -> "ESRCH";
            case EINTR -> "EINTR";
            case EIO -> "EIO";
            case EBADF -> "EBADF";
            case EAGAIN -> "EAGAIN";
            case ENOMEM -> "ENOMEM";
            case EACCES -> "EACCES";
            case EFAULT -> "EFAULT";
            case EBUSY -> "EBUSY";
            case EEXIST -> "EEXIST";
            case ENODEV -> "ENODEV";
            case EINVAL -> "EINVAL";
            case ENFILE -> "ENFILE";
            case EMFILE -> "EMFILE";
            case ENOSPC -> "ENOSPC";
            case EPIPE -> "EPIPE";
            case ENOSYS -> "ENOSYS";
            case EPROTO -> "EPROTO";
            case EOPNOTSUPP -> "EOPNOTSUPP";
            case EAFNOSUPPORT -> "EAFNOSUPPORT";
            case EADDRINUSE -> "EADDRINUSE";
            case EADDRNOTAVAIL -> "EADDRNOTAVAIL";
            case ENETDOWN -> "ENETDOWN";
            case ENETUNREACH -> "ENETUNREACH";
            case ECONNABORTED -> "ECONNABORTED";
            case ECONNRESET -> "ECONNRESET";
            case ENOBUFS -> "ENOBUFS";
            case ENOTCONN -> "ENOTCONN";
            case ETIMEDOUT -> "ETIMEDOUT";
            case ECONNREFUSED -> "ECONNREFUSED";
            case EHOSTUNREACH -> "EHOSTUNREACH";
            case EINPROGRESS -> "EINPROGRESS";
            default -> "errno " + errno;
        };
    }

    /**
     * The system's text for an error number.
     *
     * @param errno the number, not negated
     * @return for example {@code Resource temporarily unavailable}
     */
    public static String text(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(LONGEST_TEXT).getString(0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Number, name and text together, for messages.
     *
     * @param errno the number, not negated
     * @return for example {@code EAGAIN (11): Resource temporarily unavailable}
     */
    public static String describe(int errno) {
        return name(errno) + " (" + errno + "): " + text(errno);
    }
}
