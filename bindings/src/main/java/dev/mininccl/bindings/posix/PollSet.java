package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.mininccl.bindings.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Descriptors to wait for together ({@code poll.h}). Waiting allocates nothing. For one thread at a time. */
public final class PollSet {
    /** There is something to read, or the end of the stream, or a connection to accept. */
    public static final int POLLIN = 1;
    /** A send would be taken; a connect is over. */
    public static final int POLLOUT = 4;
    /** The descriptor has failed. Always reported. */
    public static final int POLLERR = 8;
    /** The peer has closed. Always reported. */
    public static final int POLLHUP = 16;
    /** The descriptor is not open. Always reported. */
    public static final int POLLNVAL = 32;

    private static final long POLLFD_BYTES = 8;
    private static final long EVENTS = 4;
    private static final long REVENTS = 6;
    private static final MethodHandle POLL =
            NativeLibraries.libc().errnoHandle("poll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private final int size;
    private final MemorySegment entries;
    private final ErrnoCapture errno = new ErrnoCapture();

    /**
     * Allocates places, all empty.
     *
     * @param size how many, 1 or more
     */
    public PollSet(int size) {
        if (size < 1) {
            throw new IllegalArgumentException("size " + size + " is not 1 or more");
        }
        this.size = size;
        this.entries = Arena.ofAuto().allocate(size * POLLFD_BYTES, POLLFD_BYTES);
        for (int index = 0; index < size; index++) {
            clear(index);
        }
    }

    /**
     * How many places there are.
     *
     * @return the size
     */
    public int size() {
        return size;
    }

    /**
     * Puts a socket into a place.
     *
     * @param index the place
     * @param socket what to wait for
     * @param events {@code POLL} flags
     */
    public void set(int index, Socket socket, int events) {
        set(index, socket.fd(), events);
    }

    /**
     * Puts a descriptor into a place.
     *
     * @param index the place
     * @param fd what to wait for
     * @param events {@code POLL} flags
     */
    public void set(int index, int fd, int events) {
        long at = index * POLLFD_BYTES;
        entries.set(JAVA_INT, at, fd);
        entries.set(JAVA_SHORT, at + EVENTS, (short) events);
        entries.set(JAVA_SHORT, at + REVENTS, (short) 0);
    }

    /**
     * Empties a place: the kernel skips negative descriptors.
     *
     * @param index the place
     */
    public void clear(int index) {
        set(index, -1, 0);
    }

    /**
     * Waits until at least one is ready or the time is over.
     *
     * @param timeoutMillis how long; 0 for not at all, negative for ever
     * @return how many are ready, 0 after the time, or a negative {@link Errno} such as {@code -EINTR}
     */
    public int poll(int timeoutMillis) {
        try {
            int count = (int) POLL.invokeExact(errno.segment(), entries.address(), (long) size, timeoutMillis);
            return count < 0 ? -errno.value() : count;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * What a place was ready for at the last poll.
     *
     * @param index the place
     * @return {@code POLL} flags, 0 for nothing
     */
    public int ready(int index) {
        return Short.toUnsignedInt(entries.get(JAVA_SHORT, index * POLLFD_BYTES + REVENTS));
    }
}
