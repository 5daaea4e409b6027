package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CUlaunchAttributeValue_union;
import dev.mininccl.bindings.cuda.gen.CUlaunchAttribute_st;
import dev.mininccl.bindings.cuda.gen.CUlaunchConfig_st;
import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Programmatic dependent launch: the kernel comes onto the device while the one before it in the stream still runs, once that one
 * allows it by {@code griddepcontrol.launch_dependents}, and waits for its end by {@code griddepcontrol.wait}. A kernel that does not
 * wait so must not be launched so. Laid out once; one thread at a time.
 *
 * @see <a href="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#programmatic-dependent-launch-and-synchronization">CUDA
 *     C++ programming guide</a>
 */
public final class DependentLaunch {
    private static final int CAPABILITY = 90;
    private static final MethodHandle LAUNCH =
            Calls.call("cuLaunchKernelEx", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private final MemorySegment config;

    /**
     * Lays out a launch.
     *
     * @param arena owns the memory
     */
    public DependentLaunch(Arena arena) {
        MemorySegment attribute = CUlaunchAttribute_st.allocate(arena);
        CUlaunchAttribute_st.id(attribute, CudaConstants.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION());
        CUlaunchAttributeValue_union.programmaticStreamSerializationAllowed(CUlaunchAttribute_st.value(attribute), 1);
        config = CUlaunchConfig_st.allocate(arena);
        CUlaunchConfig_st.gridDimY(config, 1);
        CUlaunchConfig_st.gridDimZ(config, 1);
        CUlaunchConfig_st.blockDimY(config, 1);
        CUlaunchConfig_st.blockDimZ(config, 1);
        CUlaunchConfig_st.attrs(config, attribute);
        CUlaunchConfig_st.numAttrs(config, 1);
    }

    /**
     * Whether a device and its driver can do it.
     *
     * @param device the device
     * @return true from compute capability 9.0 and CUDA 11.8 on
     */
    public static boolean supported(CudaDevice device) {
        return device.computeCapability() >= CAPABILITY && Calls.has("cuLaunchKernelEx");
    }

    /**
     * Enqueues a kernel, as {@link CudaKernel#launch} does. Allocates nothing.
     *
     * @param kernel the kernel, which waits for the one before it
     * @param blocks blocks, in one dimension
     * @param threads threads a block, in one dimension
     * @param stream the stream's handle, of the current context
     * @param parameters {@link KernelParameters#address()}
     * @throws CudaException if it cannot be
     */
    public void launch(CudaKernel kernel, int blocks, int threads, long stream, long parameters) {
        CUlaunchConfig_st.gridDimX(config, blocks);
        CUlaunchConfig_st.blockDimX(config, threads);
        config.set(JAVA_LONG, CUlaunchConfig_st.hStream$offset(), stream);
        try {
            int result = (int) LAUNCH.invokeExact(config.address(), kernel.handle(), parameters, 0L);
            if (result != 0) {
                throw new CudaException("cuLaunchKernelEx", result, kernel.name() + ", " + blocks + " x " + threads);
            }
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
