package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Streams by raw handle, so that one made by any library will do ({@code CUstream} and {@code cudaStream_t} are the same). 0 is
 * the context's legacy default stream.
 */
public final class CudaStream {
    /** {@code CUDA_ERROR_NOT_READY}, which is an answer and no error. */
    static final int NOT_READY = 600;

    private static final MethodHandle CREATE = Calls.call("cuStreamCreate", ADDRESS, JAVA_INT);
    private static final MethodHandle DESTROY = Calls.call("cuStreamDestroy_v2", JAVA_LONG);
    private static final MethodHandle QUERY = Calls.call("cuStreamQuery", JAVA_LONG);
    private static final MethodHandle SYNCHRONIZE = Calls.call("cuStreamSynchronize", JAVA_LONG);
    private static final MethodHandle WAIT = Calls.call("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle CAPTURING = Calls.call("cuStreamIsCapturing", JAVA_LONG, ADDRESS);

    private CudaStream() {}

    /**
     * Creates a stream of the current context that does not wait for the default stream.
     *
     * @return its handle, to be given to {@link #destroy}
     * @throws CudaException if it cannot be
     */
    public static long create() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) CREATE.invokeExact(slot, CudaConstants.CU_STREAM_NON_BLOCKING()), "cuStreamCreate");
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Destroys a stream once its work is done, without waiting for that.
     *
     * @param stream its handle
     * @throws CudaException if it is none
     */
    public static void destroy(long stream) {
        try {
            Calls.check((int) DESTROY.invokeExact(stream), "cuStreamDestroy");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether all work enqueued so far is done.
     *
     * @param stream its handle
     * @return true if it is
     * @throws CudaException if work failed
     */
    public static boolean done(long stream) {
        try {
            int result = (int) QUERY.invokeExact(stream);
            if (result == NOT_READY) {
                return false;
            }
            Calls.check(result, "cuStreamQuery");
            return true;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Waits for all work enqueued so far.
     *
     * @param stream its handle
     * @throws CudaException if work failed
     */
    public static void synchronize(long stream) {
        try {
            Calls.check((int) SYNCHRONIZE.invokeExact(stream), "cuStreamSynchronize");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Makes what is enqueued from now on wait for an event.
     *
     * @param stream its handle
     * @param event the event's handle
     * @throws CudaException if it cannot be
     */
    public static void await(long stream, long event) {
        try {
            Calls.check((int) WAIT.invokeExact(stream, event, 0), "cuStreamWaitEvent");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether calls are being recorded into a graph in place of being run.
     *
     * @param stream its handle
     * @return true between {@link CudaGraph#begin} and {@link CudaGraph#end}
     * @throws CudaException if the stream is none
     */
    public static boolean capturing(long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(JAVA_INT);
            Calls.check((int) CAPTURING.invokeExact(stream, status), "cuStreamIsCapturing");
            return status.get(JAVA_INT, 0) != 0;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
