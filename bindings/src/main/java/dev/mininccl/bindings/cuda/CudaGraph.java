package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work that was recorded from a stream, to be enqueued again and again by one call. */
public final class CudaGraph implements AutoCloseable {
    private static final int CAPTURE_RELAXED = 2;
    private static final boolean HAS_FLAGS = Calls.has("cuGraphInstantiateWithFlags");
    private static final MethodHandle BEGIN = Calls.call("cuStreamBeginCapture_v2", JAVA_LONG, JAVA_INT);
    private static final MethodHandle END = Calls.call("cuStreamEndCapture", JAVA_LONG, ADDRESS);
    private static final MethodHandle INSTANTIATE =
            Calls.call("cuGraphInstantiateWithFlags", ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle INSTANTIATE_BEFORE_11_4 =
            Calls.call("cuGraphInstantiate_v2", ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    private static final MethodHandle LAUNCH = Calls.call("cuGraphLaunch", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle DESTROY = Calls.call("cuGraphDestroy", JAVA_LONG);
    private static final MethodHandle DESTROY_EXEC = Calls.call("cuGraphExecDestroy", JAVA_LONG);

    private final long executable;
    private final AtomicBoolean closed = new AtomicBoolean();

    private CudaGraph(long executable) {
        this.executable = executable;
    }

    /**
     * Starts recording what is enqueued in a stream, by this thread or any other, in place of running it.
     *
     * @param stream its handle; not the legacy default stream
     * @throws CudaException if it cannot be
     */
    public static void begin(long stream) {
        try {
            Calls.check((int) BEGIN.invokeExact(stream, CAPTURE_RELAXED), "cuStreamBeginCapture");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Ends recording.
     *
     * @param stream its handle
     * @return the graph, ready to be launched, to be closed
     * @throws CudaException if what was recorded cannot be replayed
     */
    public static CudaGraph end(long stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) END.invokeExact(stream, slot), "cuStreamEndCapture");
            long graph = slot.get(JAVA_LONG, 0);
            int result = HAS_FLAGS
                    ? (int) INSTANTIATE.invokeExact(slot, graph, 0L)
                    : (int) INSTANTIATE_BEFORE_11_4.invokeExact(
                            slot, graph, MemorySegment.NULL, MemorySegment.NULL, 0L);
            int ignored = (int) DESTROY.invokeExact(graph);
            Calls.check(result, "cuGraphInstantiate");
            return new CudaGraph(slot.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Enqueues all of the recorded work. Allocates nothing.
     *
     * @param stream any stream's handle of the same context
     * @throws CudaException if it cannot be
     */
    public void launch(long stream) {
        try {
            Calls.check((int) LAUNCH.invokeExact(executable, stream), "cuGraphLaunch");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Frees the graph; launches under way complete. Idempotent; a failure is ignored, for the process may be ending. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                int ignored = (int) DESTROY_EXEC.invokeExact(executable);
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
