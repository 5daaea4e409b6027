package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@code sys/socket.h}, one to one: every method returns what C does and leaves {@code errno} in its first argument, unless it says otherwise. */
final class SocketCalls {
    static final int SOL_SOCKET = 1;
    static final int SO_ERROR = 4;
    static final int SO_SNDBUF = 7;
    static final int IPPROTO_TCP = 6;
    static final int TCP_NODELAY = 1;
    static final int TCP_CONGESTION = 13;
    static final int MSG_NOSIGNAL = 0x4000;

    private static final int SOCK_STREAM = 1;
    private static final int SOCK_NONBLOCK = 04000;
    private static final int SOCK_CLOEXEC = 02000000;
    private static final int STREAM = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    private static final int SHUT_RDWR = 2;

    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final FunctionDescriptor THREE_INTS = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor TWO_INTS = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor ADDRESS_IN = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final FunctionDescriptor ADDRESS_OUT = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final FunctionDescriptor MESSAGE = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);

    private static final MethodHandle SOCKET = LIBC.errnoHandle("socket", THREE_INTS);
    private static final MethodHandle SOCKETPAIR =
            LIBC.errnoHandle("socketpair", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle BIND = LIBC.errnoHandle("bind", ADDRESS_IN);
    private static final MethodHandle LISTEN = LIBC.errnoHandle("listen", TWO_INTS);
    private static final MethodHandle ACCEPT4 =
            LIBC.errnoHandle("accept4", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle CONNECT = LIBC.errnoHandle("connect", ADDRESS_IN);
    private static final MethodHandle GETSOCKNAME = LIBC.errnoHandle("getsockname", ADDRESS_OUT);
    private static final MethodHandle GETPEERNAME = LIBC.errnoHandle("getpeername", ADDRESS_OUT);
    private static final MethodHandle SETSOCKOPT = LIBC.errnoHandle(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle GETSOCKOPT = LIBC.errnoHandle(
            "getsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
    // A handle that captures errno takes a slice of a segment at each call. In a program that uses several kinds of
    // segments C2 cannot tell which kind it is, and the slice becomes garbage. So what is called often is called
    // without, and again with it only if it failed for another reason than that there was nothing to do.
    private static final MethodHandle SEND = LIBC.handle("send", TRANSFER);
    private static final MethodHandle RECV = LIBC.handle("recv", TRANSFER);
    private static final MethodHandle SENDMSG = LIBC.handle("sendmsg", MESSAGE);
    private static final MethodHandle RECVMSG = LIBC.handle("recvmsg", MESSAGE);
    private static final MethodHandle FAILED_SEND = LIBC.errnoHandle("send", TRANSFER);
    private static final MethodHandle FAILED_RECV = LIBC.errnoHandle("recv", TRANSFER);
    private static final MethodHandle FAILED_SENDMSG = LIBC.errnoHandle("sendmsg", MESSAGE);
    private static final MethodHandle FAILED_RECVMSG = LIBC.errnoHandle("recvmsg", MESSAGE);
    private static final MethodHandle ERRNO_LOCATION =
            LIBC.handle("__errno_location", FunctionDescriptor.of(JAVA_LONG), Linker.Option.critical(false));
    private static final MethodHandle SHUTDOWN = LIBC.errnoHandle("shutdown", TWO_INTS);

    private SocketCalls() {}

    static int socket(ErrnoCapture errno, int family) {
        try {
            return (int) SOCKET.invokeExact(errno.segment(), family, STREAM, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int socketpair(ErrnoCapture errno, int family, MemorySegment fds) {
        try {
            return (int) SOCKETPAIR.invokeExact(errno.segment(), family, STREAM, 0, fds);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int bind(ErrnoCapture errno, int fd, MemorySegment address, int bytes) {
        try {
            return (int) BIND.invokeExact(errno.segment(), fd, address, bytes);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int listen(ErrnoCapture errno, int fd, int backlog) {
        try {
            return (int) LISTEN.invokeExact(errno.segment(), fd, backlog);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int accept(ErrnoCapture errno, int fd) {
        try {
            return (int) ACCEPT4.invokeExact(errno.segment(), fd, 0L, 0L, SOCK_NONBLOCK | SOCK_CLOEXEC);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int connect(ErrnoCapture errno, int fd, MemorySegment address, int bytes) {
        try {
            return (int) CONNECT.invokeExact(errno.segment(), fd, address, bytes);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int getsockname(ErrnoCapture errno, int fd, MemorySegment address, MemorySegment bytes) {
        try {
            return (int) GETSOCKNAME.invokeExact(errno.segment(), fd, address, bytes);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int getpeername(ErrnoCapture errno, int fd, MemorySegment address, MemorySegment bytes) {
        try {
            return (int) GETPEERNAME.invokeExact(errno.segment(), fd, address, bytes);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int setsockopt(ErrnoCapture errno, int fd, int level, int option, MemorySegment value) {
        try {
            return (int) SETSOCKOPT.invokeExact(errno.segment(), fd, level, option, value, (int) value.byteSize());
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static int getsockopt(ErrnoCapture errno, int fd, int level, int option, MemorySegment value, MemorySegment bytes) {
        try {
            return (int) GETSOCKOPT.invokeExact(errno.segment(), fd, level, option, value, bytes);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Returns the count or the negative error number. */
    static long send(ErrnoCapture errno, int fd, long address, long bytes, int flags) {
        try {
            long count = (long) SEND.invokeExact(fd, address, bytes, flags);
            if (count >= 0) {
                return count;
            }
            int first = errnoNow();
            if (first == Errno.EAGAIN) {
                return -Errno.EAGAIN;
            }
            count = (long) FAILED_SEND.invokeExact(errno.segment(), fd, address, bytes, flags);
            return again(first, count, errno);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Returns the count or the negative error number. */
    static long recv(ErrnoCapture errno, int fd, long address, long bytes, int flags) {
        try {
            long count = (long) RECV.invokeExact(fd, address, bytes, flags);
            if (count >= 0) {
                return count;
            }
            int first = errnoNow();
            if (first == Errno.EAGAIN) {
                return -Errno.EAGAIN;
            }
            count = (long) FAILED_RECV.invokeExact(errno.segment(), fd, address, bytes, flags);
            return again(first, count, errno);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Returns the count or the negative error number. */
    static long sendmsg(ErrnoCapture errno, int fd, MemorySegment message, int flags) {
        try {
            long count = (long) SENDMSG.invokeExact(fd, message, flags);
            if (count >= 0) {
                return count;
            }
            int first = errnoNow();
            if (first == Errno.EAGAIN) {
                return -Errno.EAGAIN;
            }
            count = (long) FAILED_SENDMSG.invokeExact(errno.segment(), fd, message, flags);
            return again(first, count, errno);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Returns the count or the negative error number. */
    static long recvmsg(ErrnoCapture errno, int fd, MemorySegment message, int flags) {
        try {
            long count = (long) RECVMSG.invokeExact(fd, message, flags);
            if (count >= 0) {
                return count;
            }
            int first = errnoNow();
            if (first == Errno.EAGAIN) {
                return -Errno.EAGAIN;
            }
            count = (long) FAILED_RECVMSG.invokeExact(errno.segment(), fd, message, flags);
            return again(first, count, errno);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** What the call that just failed left, unless the JVM has changed it since: good for a guess, and for words. */
    private static int errnoNow() throws Throwable {
        return NativeMemory.getInt((long) ERRNO_LOCATION.invokeExact());
    }

    /**
     * What a call comes to that failed and was made again. The kernel tells why a connection broke only once, then that it has ended: so
     * the second call decides whether it is broken, and the first says why.
     */
    private static long again(int first, long count, ErrnoCapture errno) {
        int second = count < 0 ? errno.value() : 0;
        if (count > 0 || second == Errno.EAGAIN || second == Errno.EINTR) {
            return count > 0 ? count : -second;
        }
        return switch (first) {
            case Errno.ECONNRESET, Errno.ECONNABORTED, Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH -> -first;
            default -> -second;
        };
    }

    static int shutdown(ErrnoCapture errno, int fd) {
        try {
            return (int) SHUTDOWN.invokeExact(errno.segment(), fd, SHUT_RDWR);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
