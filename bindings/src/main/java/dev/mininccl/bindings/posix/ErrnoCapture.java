package dev.mininccl.bindings.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;

/**
 * Where a call leaves {@code errno}: the JVM may change the C variable between the call and any later look at it. Allocated once
 * for an object or a thread, used by one thread at a time.
 */
public final class ErrnoCapture {
    private static final StructLayout LAYOUT = Linker.Option.captureStateLayout();
    private static final long ERRNO = LAYOUT.byteOffset(PathElement.groupElement("errno"));
    private static final ThreadLocal<ErrnoCapture> OF_THREAD = ThreadLocal.withInitial(ErrnoCapture::new);

    private final MemorySegment segment = Arena.ofAuto().allocate(LAYOUT);

    /** Allocates one; its memory goes with this object. */
    public ErrnoCapture() {}

    /**
     * The calling thread's own, for calls at set-up.
     *
     * @return the same object for each call of one thread
     */
    public static ErrnoCapture ofThread() {
        return OF_THREAD.get();
    }

    /**
     * The first argument of a handle that captures {@code errno}.
     *
     * @return the segment
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * The error number the last call left; meaningful only if that call reported a failure.
     *
     * @return the number, not negated
     */
    public int value() {
        return segment.get(ValueLayout.JAVA_INT, ERRNO);
    }
}
