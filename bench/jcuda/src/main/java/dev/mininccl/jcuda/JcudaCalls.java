package dev.mininccl.jcuda;

import static jcuda.driver.JCudaDriver.cuCtxSetCurrent;
import static jcuda.driver.JCudaDriver.cuDeviceGet;
import static jcuda.driver.JCudaDriver.cuDevicePrimaryCtxRetain;
import static jcuda.driver.JCudaDriver.cuEventCreate;
import static jcuda.driver.JCudaDriver.cuEventQuery;
import static jcuda.driver.JCudaDriver.cuEventRecord;
import static jcuda.driver.JCudaDriver.cuInit;
import static jcuda.driver.JCudaDriver.cuLaunchKernel;
import static jcuda.driver.JCudaDriver.cuMemAlloc;
import static jcuda.driver.JCudaDriver.cuMemcpyAsync;
import static jcuda.driver.JCudaDriver.cuModuleGetFunction;
import static jcuda.driver.JCudaDriver.cuModuleLoadData;
import static jcuda.driver.JCudaDriver.cuStreamCreate;
import static jcuda.driver.JCudaDriver.cuStreamQuery;
import static jcuda.driver.JCudaDriver.cuStreamSynchronize;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What {@link FfmCalls} has, through JCuda, with its results checked as ours are. */
@State(Scope.Thread)
public class JcudaCalls {
    private final CUstream stream = new CUstream();
    private final CUevent event = new CUevent();
    private final CUdeviceptr memory = new CUdeviceptr();
    private final CUfunction empty = new CUfunction();
    private final CUfunction onePointer = new CUfunction();
    private CUdeviceptr copy;
    private Pointer parameters;

    /** Makes them in the thread that measures. */
    @Setup(Level.Trial)
    public void make() {
        JCudaDriver.setExceptionsEnabled(true);
        cuInit(0);
        CUdevice device = new CUdevice();
        cuDeviceGet(device, 0);
        CUcontext context = new CUcontext();
        cuDevicePrimaryCtxRetain(context, device);
        cuCtxSetCurrent(context);
        CUmodule module = new CUmodule();
        cuModuleLoadData(module, Ptx.TEXT);
        cuModuleGetFunction(empty, module, Ptx.EMPTY);
        cuModuleGetFunction(onePointer, module, Ptx.ONE_POINTER);
        cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING);
        cuEventCreate(event, CUevent_flags.CU_EVENT_DISABLE_TIMING);
        cuMemAlloc(memory, 16);
        copy = memory.withByteOffset(Long.BYTES);
        parameters = Pointer.to(Pointer.to(memory));
        cuEventRecord(event, stream);
        cuStreamSynchronize(stream);
    }

    void launch() {
        cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, null, null);
    }

    void launchWithPointer() {
        cuLaunchKernel(onePointer, 1, 1, 1, 1, 1, 1, 0, stream, parameters, null);
    }

    void copy() {
        cuMemcpyAsync(copy, memory, Long.BYTES, stream);
    }

    boolean eventDone() {
        return cuEventQuery(event) == 0;
    }

    boolean streamDone() {
        return cuStreamQuery(stream) == 0;
    }

    /** The same, with the stream empty before each batch. */
    @State(Scope.Thread)
    public static class Drained extends JcudaCalls {

        /** Waits for the batch before. */
        @Setup(Level.Invocation)
        public void drain() {
            cuStreamSynchronize(super.stream);
        }
    }
}
