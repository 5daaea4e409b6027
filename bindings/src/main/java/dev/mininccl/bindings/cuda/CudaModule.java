package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/** Kernels that the driver has compiled from PTX text for the current context's device. */
public final class CudaModule implements AutoCloseable {
    private static final MethodHandle LOAD =
            Calls.call("cuModuleLoadDataEx", ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle UNLOAD = Calls.call("cuModuleUnload", JAVA_LONG);
    private static final MethodHandle FUNCTION = Calls.call("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS);
    private static final int LOG_BYTES = 4096;

    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    private CudaModule(long handle) {
        this.handle = handle;
    }

    /**
     * Compiles PTX. The driver keeps what it compiled in a cache on disk, so that a second process loads it in milliseconds.
     *
     * @param ptx the text
     * @return the module, to be closed in the same context
     * @throws CudaException if the driver refuses it; the message has the compiler's log
     */
    public static CudaModule load(String ptx) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment log = arena.allocate(LOG_BYTES);
            MemorySegment options = arena.allocate(JAVA_INT, 2);
            options.setAtIndex(JAVA_INT, 0, CudaConstants.CU_JIT_ERROR_LOG_BUFFER());
            options.setAtIndex(JAVA_INT, 1, CudaConstants.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES());
            MemorySegment values = arena.allocate(JAVA_LONG, 2);
            values.setAtIndex(JAVA_LONG, 0, log.address());
            values.setAtIndex(JAVA_LONG, 1, LOG_BYTES);
            MemorySegment slot = arena.allocate(JAVA_LONG);
            int result = (int) LOAD.invokeExact(slot, arena.allocateFrom(ptx), 2, options, values);
            if (result != 0) {
                throw new CudaException(
                        "cuModuleLoadDataEx", result, log.getString(0).strip());
            }
            return new CudaModule(slot.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Finds a kernel.
     *
     * @param name its entry point
     * @return the kernel, which lives as long as the module
     * @throws CudaException if there is none of that name
     */
    public CudaKernel kernel(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            int result = (int) FUNCTION.invokeExact(slot, handle, arena.allocateFrom(name));
            if (result != 0) {
                throw new CudaException("cuModuleGetFunction", result, name);
            }
            return new CudaKernel(slot.get(JAVA_LONG, 0), name);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /** Unloads the module; its kernels must not run any more. Idempotent; a failure is ignored, for the process may be ending. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                int ignored = (int) UNLOAD.invokeExact(handle);
            } catch (Throwable e) {
                throw Calls.unexpected(e);
            }
        }
    }
}
