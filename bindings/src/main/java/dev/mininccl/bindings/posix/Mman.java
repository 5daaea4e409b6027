package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/**
 * Mappings ({@code sys/mman.h}), by address. The caller owns a mapping and unmaps it once, after everything that knows the
 * address has let go of it.
 */
public final class Mman {
    /** No access: a guard page. */
    public static final int PROT_NONE = 0;
    /** Pages may be read. */
    public static final int PROT_READ = 1;
    /** Pages may be written. */
    public static final int PROT_WRITE = 2;
    /** Writes reach the file and other mappings of it. */
    public static final int MAP_SHARED = 1;
    /** Writes stay in this mapping. */
    public static final int MAP_PRIVATE = 2;
    /** No file: pages of zeros. */
    public static final int MAP_ANONYMOUS = 0x20;
    /** All pages are present from the start. */
    public static final int MAP_POPULATE = 0x8000;
    /** The range is not inherited by a forked child. */
    public static final int MADV_DONTFORK = 10;
    /** Huge pages are welcome. */
    public static final int MADV_HUGEPAGE = 14;
    /** All pages are made present and writable now (Linux 5.14). */
    public static final int MADV_POPULATE_WRITE = 23;

    private static final int MFD_CLOEXEC = 1;
    private static final long MAP_FAILED = -1;

    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final MethodHandle MMAP = LIBC.errnoHandle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP =
            LIBC.errnoHandle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE =
            LIBC.errnoHandle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MPROTECT =
            LIBC.errnoHandle("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MEMFD_CREATE =
            LIBC.errnoHandle("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    private Mman() {}

    /**
     * Maps a file for reading and writing, shared with all who map it.
     *
     * @param fd descriptor of a file of at least {@code bytes} bytes; it may be closed afterwards
     * @param bytes the size
     * @return the address, page-aligned
     * @throws PosixException if it cannot be mapped
     */
    public static long mapShared(int fd, long bytes) {
        return map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }

    /**
     * Maps memory of zeros, private to this process.
     *
     * @param bytes the size
     * @return the address, page-aligned
     * @throws PosixException if it cannot be mapped
     */
    public static long mapAnonymous(long bytes) {
        return map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }

    /**
     * Maps a file or anonymous memory wherever the kernel likes.
     *
     * @param bytes the size
     * @param protection {@code PROT_} flags
     * @param flags {@code MAP_} flags
     * @param fd the file, or -1
     * @param offset first byte of the file, a multiple of the page size
     * @return the address, page-aligned
     * @throws PosixException if it cannot be mapped
     */
    public static long map(long bytes, int protection, int flags, int fd, long offset) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            long address = (long) MMAP.invokeExact(errno.segment(), 0L, bytes, protection, flags, fd, offset);
            if (address == MAP_FAILED) {
                throw new PosixException("mmap of " + bytes + " bytes", errno.value());
            }
            return address;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Removes a mapping. Later accesses to it end the process.
     *
     * @param address as mapped
     * @param bytes as mapped
     * @throws PosixException if the range is not valid
     */
    public static void unmap(long address, long bytes) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) MUNMAP.invokeExact(errno.segment(), address, bytes);
            Calls.check(result, errno, "munmap of " + bytes + " bytes");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Tells the kernel how pages will be used.
     *
     * @param address page-aligned
     * @param bytes the size
     * @param advice a {@code MADV_} constant
     * @return 0, or a negative {@link Errno}: advice is often optional, and older kernels answer {@code -EINVAL}
     */
    public static int advise(long address, long bytes, int advice) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) MADVISE.invokeExact(errno.segment(), address, bytes, advice);
            return result < 0 ? -errno.value() : 0;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Changes what may be done with pages.
     *
     * @param address page-aligned
     * @param bytes the size
     * @param protection {@code PROT_} flags
     * @throws PosixException if it cannot be changed
     */
    public static void protect(long address, long bytes, int protection) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) MPROTECT.invokeExact(errno.segment(), address, bytes, protection);
            Calls.check(result, errno, "mprotect of " + bytes + " bytes");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Creates a file without a name, in memory.
     *
     * @param name what {@code /proc/PID/maps} shows for it
     * @return the descriptor, closed on exec; the caller owns it
     * @throws PosixException if it cannot be created
     */
    public static int memoryFile(String name) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) MEMFD_CREATE.invokeExact(errno.segment(), arena.allocateFrom(name), MFD_CLOEXEC);
            return Calls.check(fd, errno, "memfd_create " + name);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
