package dev.mininccl.jcuda;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaModule;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.bindings.cuda.KernelParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A stream, an event, kernels and memory on device 0, through our bindings. They end with the measuring JVM. */
@State(Scope.Thread)
public class FfmCalls {
    private long stream;
    private long event;
    private long memory;
    private CudaKernel empty;
    private CudaKernel onePointer;
    private KernelParameters parameters;

    /** Makes them in the thread that measures. */
    @Setup(Level.Trial)
    public void make() {
        CudaDriver.start().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        CudaContext.retain(new CudaDevice(0)).enter();
        CudaModule module = CudaModule.load(Ptx.TEXT);
        empty = module.kernel(Ptx.EMPTY);
        onePointer = module.kernel(Ptx.ONE_POINTER);
        stream = CudaStream.create();
        event = CudaEvent.create(false);
        memory = CudaMemory.allocate(16);
        parameters = new KernelParameters(Long.BYTES, Arena.ofAuto());
        parameters.block().set(ValueLayout.JAVA_LONG, 0, memory);
        CudaEvent.record(event, stream);
        CudaStream.synchronize(stream);
    }

    void launch() {
        empty.launch(1, 1, stream, 0);
    }

    void launchWithPointer() {
        onePointer.launch(1, 1, stream, parameters.address());
    }

    void copy() {
        CudaMemory.copyAsync(memory + Long.BYTES, memory, Long.BYTES, stream);
    }

    boolean eventDone() {
        return CudaEvent.done(event);
    }

    boolean streamDone() {
        return CudaStream.done(stream);
    }

    /** The same, with the stream empty before each batch. */
    @State(Scope.Thread)
    public static class Drained extends FfmCalls {

        /** Waits for the batch before. */
        @Setup(Level.Invocation)
        public void drain() {
            CudaStream.synchronize(super.stream);
        }
    }
}
