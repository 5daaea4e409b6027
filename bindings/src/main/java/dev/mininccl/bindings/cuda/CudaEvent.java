package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Events by raw handle: points in a stream that can be asked for, waited for and timed. */
public final class CudaEvent {
    private static final MethodHandle CREATE = Calls.call("cuEventCreate", ADDRESS, JAVA_INT);
    private static final MethodHandle DESTROY = Calls.call("cuEventDestroy_v2", JAVA_LONG);
    private static final MethodHandle RECORD = Calls.call("cuEventRecord", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle QUERY = Calls.call("cuEventQuery", JAVA_LONG);
    private static final MethodHandle SYNCHRONIZE = Calls.call("cuEventSynchronize", JAVA_LONG);
    private static final MethodHandle ELAPSED = elapsedHandle();

    private CudaEvent() {}

    /** Since CUDA 12.8 there is a second form, with the same arguments. */
    private static MethodHandle elapsedHandle() {
        String newer = "cuEventElapsedTime_v2";
        return Calls.call(Calls.has(newer) ? newer : "cuEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG);
    }

    /**
     * Creates an event of the current context.
     *
     * @param timing whether {@link #milliseconds} will be asked; events without it are cheaper
     * @return its handle, to be given to {@link #destroy}
     * @throws CudaException if it cannot be
     */
    public static long create(boolean timing) {
        int flags = timing ? CudaConstants.CU_EVENT_DEFAULT() : CudaConstants.CU_EVENT_DISABLE_TIMING();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) CREATE.invokeExact(slot, flags), "cuEventCreate");
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Destroys an event.
     *
     * @param event its handle
     * @throws CudaException if it is none
     */
    public static void destroy(long event) {
        try {
            Calls.check((int) DESTROY.invokeExact(event), "cuEventDestroy");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Puts the event behind all work enqueued so far.
     *
     * @param event its handle
     * @param stream the stream's handle
     * @throws CudaException if it cannot be
     */
    public static void record(long event, long stream) {
        try {
            Calls.check((int) RECORD.invokeExact(event, stream), "cuEventRecord");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether the work before the event is done.
     *
     * @param event its handle
     * @return true also if it was never recorded
     * @throws CudaException if work failed
     */
    public static boolean done(long event) {
        try {
            int result = (int) QUERY.invokeExact(event);
            if (result == CudaStream.NOT_READY) {
                return false;
            }
            Calls.check(result, "cuEventQuery");
            return true;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Waits for the work before the event.
     *
     * @param event its handle
     * @throws CudaException if work failed
     */
    public static void synchronize(long event) {
        try {
            Calls.check((int) SYNCHRONIZE.invokeExact(event), "cuEventSynchronize");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The time between two events that are done and were created with timing.
     *
     * @param from the earlier one's handle
     * @param to the later one's handle
     * @return milliseconds, to about half a microsecond
     * @throws CudaException if one is not done or has no timing
     */
    public static float milliseconds(long from, long to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_FLOAT);
            Calls.check((int) ELAPSED.invokeExact(value, from, to), "cuEventElapsedTime");
            return value.get(JAVA_FLOAT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
