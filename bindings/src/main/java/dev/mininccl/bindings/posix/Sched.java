package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;

/**
 * The calling thread and its processors ({@code sched.h}). Meaningful on platform threads only: a virtual thread may be on
 * another one after each call. To yield, call {@link Thread#yield()}, which is {@code sched_yield}.
 */
public final class Sched {
    /** Room for 8,192 processors, the most a Linux kernel can be built for. */
    private static final long SET_BYTES = 1024;

    private static final NativeLibrary LIBC = NativeLibraries.libc();
    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle SET_AFFINITY = LIBC.errnoHandle("sched_setaffinity", AFFINITY);
    private static final MethodHandle GET_AFFINITY = LIBC.errnoHandle("sched_getaffinity", AFFINITY);
    private static final MethodHandle GETCPU =
            LIBC.handle("sched_getcpu", FunctionDescriptor.of(JAVA_INT), Linker.Option.critical(false));
    private static final MethodHandle GETTID = LIBC.handle("gettid", FunctionDescriptor.of(JAVA_INT));

    private Sched() {}

    /**
     * The processors the calling thread may run on.
     *
     * @return their numbers as the kernel counts them
     * @throws PosixException if they cannot be read
     */
    public static BitSet affinity() {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
            int result = (int) GET_AFFINITY.invokeExact(errno.segment(), 0, SET_BYTES, set);
            Calls.check(result, errno, "sched_getaffinity");
            return BitSet.valueOf(set.toArray(JAVA_LONG));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Binds the calling thread to processors.
     *
     * @param processors their numbers; at least one must exist and be allowed to this process
     * @throws PosixException with {@code EINVAL} if none is
     */
    public static void setAffinity(BitSet processors) {
        if (processors.length() > SET_BYTES * Byte.SIZE) {
            throw new IllegalArgumentException(
                    "processor " + (processors.length() - 1) + " is not in 0.." + (SET_BYTES * Byte.SIZE - 1));
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
            byte[] bits = processors.toByteArray();
            MemorySegment.copy(bits, 0, set, ValueLayout.JAVA_BYTE, 0, bits.length);
            int result = (int) SET_AFFINITY.invokeExact(errno.segment(), 0, SET_BYTES, set);
            Calls.check(result, errno, "sched_setaffinity to " + processors);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The processor the calling thread is on at this moment.
     *
     * @return its number
     */
    public static int currentProcessor() {
        try {
            return (int) GETCPU.invokeExact();
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The kernel's number of the calling thread, as in {@code /proc/PID/task} and {@code top -H}.
     *
     * @return the thread id
     */
    public static int threadId() {
        try {
            return (int) GETTID.invokeExact();
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
