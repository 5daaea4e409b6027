package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Copies out of another process of the same user ({@code process_vm_readv}): one copy, no shared memory. Each thread
 * that copies needs an instance of its own; a copy allocates nothing.
 *
 * <p>The kernel asks for the right to trace the other process. Yama's {@code ptrace_scope} of 1, which many distributions set,
 * denies it between siblings unless the process that is read has called {@link #allowReaders}; containers often deny it
 * altogether. So try it once on real data at set-up.
 */
@SuppressWarnings("restricted")
public final class ProcessVm {
    private static final int PR_SET_PTRACER = 0x59616d61;
    private static final long PR_SET_PTRACER_ANY = -1;
    private static final long IOVEC_BYTES = 16;

    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final FunctionDescriptor COPY =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    // Hot, so called without capturing errno, and again with it if it failed: see SocketCalls.
    private static final MethodHandle READV = LIBC.handle("process_vm_readv", COPY);
    private static final MethodHandle FAILED_READV = LIBC.errnoHandle("process_vm_readv", COPY);
    private static final MethodHandle PRCTL = LIBC.errnoHandle(
            "prctl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private final ErrnoCapture errno = new ErrnoCapture();
    /** Two {@code struct iovec}: the local and the remote range. Kept as a segment so that it stays reachable. */
    private final MemorySegment vectors = Arena.ofAuto().allocate(2 * IOVEC_BYTES, IOVEC_BYTES);

    /** Allocates what a copy needs; it goes with this object. */
    public ProcessVm() {}

    /**
     * Lets any process of this user read this one in spite of Yama, until it ends or the setting is changed.
     *
     * @return 0, or {@code -EINVAL} where the kernel has no Yama and so no need
     */
    public static int allowReaders() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try {
            int result = (int) PRCTL.invokeExact(errno.segment(), PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0L, 0L, 0L);
            return result < 0 ? -errno.value() : 0;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Copies from another process.
     *
     * @param pid the process
     * @param remote address there
     * @param local address here
     * @param bytes how many; the kernel copies at most 2 GiB less a page at once
     * @return how many were copied, fewer if a later page is not mapped; or a negative {@link Errno}: {@code EPERM} denied,
     *     {@code ESRCH} no such process, {@code EFAULT} nothing mapped there, {@code ENOSYS} no such system call
     */
    public long read(int pid, long remote, long local, long bytes) {
        set(remote, local, bytes);
        long first = vectors.address();
        try {
            long count = (long) READV.invokeExact(pid, first, 1L, first + IOVEC_BYTES, 1L, 0L);
            if (count < 0) {
                count = (long) FAILED_READV.invokeExact(errno.segment(), pid, first, 1L, first + IOVEC_BYTES, 1L, 0L);
            }
            return count < 0 ? -errno.value() : count;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    private void set(long remote, long local, long bytes) {
        vectors.set(JAVA_LONG, 0, local);
        vectors.set(JAVA_LONG, 8, bytes);
        vectors.set(JAVA_LONG, IOVEC_BYTES, remote);
        vectors.set(JAVA_LONG, IOVEC_BYTES + 8, bytes);
    }
}
