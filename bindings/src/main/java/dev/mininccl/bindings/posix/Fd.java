package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Files by descriptor ({@code fcntl.h}, {@code unistd.h}), for mappings that processes share. All descriptors are closed on exec.
 * The caller owns what is returned and closes it once.
 */
@SuppressWarnings("restricted")
public final class Fd {
    private static final int O_RDWR = 02;
    private static final int O_CREAT = 0100;
    private static final int O_EXCL = 0200;
    private static final int O_CLOEXEC = 02000000;
    private static final int OWNER_ONLY = 0600;

    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final MethodHandle OPEN = LIBC.errnoHandle(
            "open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = LIBC.errnoHandle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FTRUNCATE =
            LIBC.errnoHandle("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle POSIX_FALLOCATE =
            LIBC.handle("posix_fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle UNLINK = LIBC.errnoHandle("unlink", FunctionDescriptor.of(JAVA_INT, ADDRESS));

    private Fd() {}

    /**
     * Creates a file that did not exist, for reading and writing by this user only (mode 0600).
     *
     * @param file where; for example below {@code /dev/shm}
     * @return the descriptor
     * @throws PosixException with {@code EEXIST} if something of that name is there, be it a dangling link
     */
    public static int createExclusive(Path file) {
        return open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC);
    }

    /**
     * Opens an existing file for reading and writing.
     *
     * @param file the file
     * @return the descriptor
     * @throws PosixException if there is none or access is denied
     */
    public static int open(Path file) {
        return open(file, O_RDWR | O_CLOEXEC);
    }

    private static int open(Path file, int flags) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) OPEN.invokeExact(errno.segment(), arena.allocateFrom(file.toString()), flags, OWNER_ONLY);
            return Calls.check(fd, errno, "open " + file);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Sets a file's size. Space is not reserved: see {@link #allocate}.
     *
     * @param fd the descriptor
     * @param bytes the new size
     * @throws PosixException if it cannot be set
     */
    public static void truncate(int fd, long bytes) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) FTRUNCATE.invokeExact(errno.segment(), fd, bytes);
            Calls.check(result, errno, "ftruncate to " + bytes + " bytes");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Reserves space for a file's first bytes and grows it to that size if it is smaller. Without this a full file system shows
     * only when a mapping is written, and then as SIGBUS.
     *
     * @param fd the descriptor
     * @param bytes how many
     * @throws PosixException with {@code ENOSPC} if there is too little space
     */
    public static void allocate(int fd, long bytes) {
        int error;
        try {
            do {
                error = (int) POSIX_FALLOCATE.invokeExact(fd, 0L, bytes);
            } while (error == Errno.EINTR);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
        if (error != 0) {
            throw new PosixException("posix_fallocate of " + bytes + " bytes", error);
        }
    }

    /**
     * Removes a name; mappings and descriptors of the file stay valid.
     *
     * @param file the file
     * @throws PosixException if there is none or removing is denied
     */
    public static void unlink(Path file) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) UNLINK.invokeExact(errno.segment(), arena.allocateFrom(file.toString()));
            Calls.check(result, errno, "unlink " + file);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Closes a descriptor.
     *
     * @param fd the descriptor; whatever this throws, it is closed afterwards if it was open
     * @throws PosixException with {@code EBADF} if it was not open
     */
    public static void close(int fd) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) CLOSE.invokeExact(errno.segment(), fd);
            if (result < 0 && errno.value() != Errno.EINTR) {
                throw new PosixException("close of descriptor " + fd, errno.value());
            }
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
