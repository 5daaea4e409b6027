package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A device's primary context: the one that the CUDA runtime, and so every other library of the process, works in.
 *
 * <p>The current context belongs to the operating system's thread. {@link #enter} makes this one current and {@link #leave} brings
 * back what was current before; both are cheap and allocate nothing. Call them on platform threads only.
 */
public final class CudaContext implements AutoCloseable {
    private static final MethodHandle RETAIN = Calls.call("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT);
    private static final MethodHandle RELEASE = Calls.call("cuDevicePrimaryCtxRelease_v2", JAVA_INT);
    private static final MethodHandle PUSH = Calls.call("cuCtxPushCurrent_v2", JAVA_LONG);
    private static final MethodHandle POP = Calls.call("cuCtxPopCurrent_v2", ADDRESS);
    private static final MethodHandle CURRENT = Calls.call("cuCtxGetCurrent", ADDRESS);
    private static final MethodHandle SYNCHRONIZE = Calls.call("cuCtxSynchronize");
    private static final MethodHandle ENABLE_PEER = Calls.call("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT);

    private static final MethodHandle FLUSH_RDMA = Calls.call("cuFlushGPUDirectRDMAWrites", JAVA_INT, JAVA_INT);

    /** Receives the context that was popped, which nobody reads. */
    private static final MemorySegment POPPED = Arena.global().allocate(JAVA_LONG);

    private final CudaDevice device;
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    private CudaContext(CudaDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    /**
     * Takes a share in a device's primary context, which starts the device if nobody else has.
     *
     * @param device the device
     * @return the context, to be closed
     * @throws CudaException if the device cannot be used
     */
    public static CudaContext retain(CudaDevice device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) RETAIN.invokeExact(slot, device.ordinal()), "cuDevicePrimaryCtxRetain");
            return new CudaContext(device, slot.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The calling thread's current context.
     *
     * @return its handle, or 0
     * @throws CudaException if the driver refuses
     */
    public static long current() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) CURRENT.invokeExact(slot), "cuCtxGetCurrent");
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The device.
     *
     * @return as given to {@link #retain}
     */
    public CudaDevice device() {
        return device;
    }

    /**
     * The native handle.
     *
     * @return a {@code CUcontext}
     */
    public long handle() {
        return handle;
    }

    /**
     * Makes this context current for the calling thread. Each call needs one of {@link #leave}, in a finally block.
     *
     * @throws CudaException if the driver refuses
     */
    public void enter() {
        try {
            Calls.check((int) PUSH.invokeExact(handle), "cuCtxPushCurrent");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * As {@link #enter()}, but leaves everything as it is where this context is current already, which is cheaper.
     *
     * @param scratch 8 bytes that no other thread uses meanwhile
     * @return whether {@link #leave} is to be called
     * @throws CudaException if the driver refuses
     */
    public boolean enter(MemorySegment scratch) {
        try {
            Calls.check((int) CURRENT.invokeExact(scratch), "cuCtxGetCurrent");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
        if (scratch.get(JAVA_LONG, 0) == handle) {
            return false;
        }
        enter();
        return true;
    }

    /**
     * Brings back the context that was current before {@link #enter}.
     *
     * @throws CudaException if the driver refuses
     */
    public void leave() {
        try {
            Calls.check((int) POP.invokeExact(POPPED), "cuCtxPopCurrent");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Waits for all work of this context, which must be current.
     *
     * @throws CudaException if work failed
     */
    public void synchronize() {
        try {
            Calls.check((int) SYNCHRONIZE.invokeExact(), "cuCtxSynchronize");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Lets this context, which must be current, reach another device's memory in this process. Idempotent.
     *
     * @param peer the other device's context
     * @throws CudaException if it cannot
     */
    public void enableAccessTo(CudaContext peer) {
        try {
            int result = (int) ENABLE_PEER.invokeExact(peer.handle, 0);
            if (result != CudaConstants.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED()) {
                Calls.check(result, "cuCtxEnablePeerAccess");
            }
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Waits until this context's device, which must be current, sees what network adapters have written to its memory.
     *
     * @throws CudaException if the driver cannot: see {@link CudaDevice#canFlushRdma}
     */
    public void flushRdmaWrites() {
        try {
            int target = CudaConstants.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX();
            int scope = CudaConstants.CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER();
            Calls.check((int) FLUSH_RDMA.invokeExact(target, scope), "cuFlushGPUDirectRDMAWrites");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Gives the share back. Idempotent; a failure is ignored, for the process may be ending. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                int ignored = (int) RELEASE.invokeExact(device.ordinal());
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
