package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A kernel of a {@link CudaModule}. */
public final class CudaKernel {
    private static final MethodHandle LAUNCH = Calls.call(
            "cuLaunchKernel",
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
    private static final MethodHandle ATTRIBUTE = Calls.call("cuFuncGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG);
    private static final MethodHandle OCCUPANCY =
            Calls.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG);

    private final long handle;
    private final String name;

    CudaKernel(long handle, String name) {
        this.handle = handle;
        this.name = name;
    }

    /**
     * Its entry point.
     *
     * @return the name it was found by
     */
    public String name() {
        return name;
    }

    /** The driver's. */
    long handle() {
        return handle;
    }

    /**
     * Enqueues the kernel. Allocates nothing; the parameters are copied before it returns.
     *
     * @param blocks blocks, in one dimension
     * @param threads threads a block, in one dimension
     * @param stream the stream's handle, of the current context
     * @param parameters {@link KernelParameters#address()}
     * @throws CudaException if it cannot be
     */
    public void launch(int blocks, int threads, long stream, long parameters) {
        try {
            int result = (int) LAUNCH.invokeExact(handle, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, 0L);
            if (result != 0) {
                throw new CudaException("cuLaunchKernel", result, name + ", " + blocks + " x " + threads);
            }
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The most threads a block of this kernel may have on this device.
     *
     * @return a multiple of the warp size
     * @throws CudaException if the driver refuses
     */
    public int maxThreads() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            int attribute = CudaConstants.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK();
            Calls.check((int) ATTRIBUTE.invokeExact(value, attribute, handle), "cuFuncGetAttribute");
            return value.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * How many blocks of this kernel fit on one multiprocessor at a time.
     *
     * @param threads threads a block
     * @return 0 if a block is too large
     * @throws CudaException if the driver refuses
     */
    public int blocksPerMultiprocessor(int threads) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            int result = (int) OCCUPANCY.invokeExact(value, handle, threads, 0L);
            Calls.check(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
            return value.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
