package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaMemory;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Memory of a GPU. Its context must be current for every call. */
final class CudaDirectMemory implements DirectMemory {

    /** What the driver allocates at least: such memory shares no page with other. */
    private static final long ALLOCATED = 2 << 20;

    private static final long BYTES = 64 << 10;
    /** The module of NVIDIA's driver, and what the OFED package called it. */
    private static final List<Path> PEERMEM =
            List.of(Path.of("/sys/module/nvidia_peermem"), Path.of("/sys/module/nv_peer_mem"));

    private final CudaContext context;
    private final CudaDevice device;
    private final long address;
    private boolean closed;

    CudaDirectMemory(CudaContext context) {
        this.context = context;
        device = context.device();
        address = CudaMemory.allocate(ALLOCATED);
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long bytes() {
        return BYTES;
    }

    @Override
    public String obstacle(GpuDirect.Way way) {
        if (way == GpuDirect.Way.DMA_BUF) {
            return device.claimsDmaBuf()
                    ? ""
                    : "the driver exports none: it needs CUDA 11.7 and NVIDIA's open kernel modules";
        }
        if (!device.claimsDirectRdma()) {
            return "the driver claims no GPUDirect RDMA for this GPU";
        }
        return PEERMEM.stream().anyMatch(Files::exists) ? "" : "nvidia_peermem is not loaded (modprobe nvidia_peermem)";
    }

    @Override
    public int exportDmaBuf() {
        return CudaMemory.exportDmaBuf(address, BYTES);
    }

    @Override
    public void write(MemorySegment from) {
        CudaMemory.toDevice(address, from);
        // A copy from memory that is not pinned may still be under way.
        context.synchronize();
    }

    @Override
    public void read(MemorySegment to) {
        CudaMemory.toHost(to, address);
    }

    @Override
    public boolean flushedByReading() {
        return device.needsRdmaFlush() && !device.canFlushRdma();
    }

    @Override
    public String settle() {
        if (!device.needsRdmaFlush()) {
            return "no flush needed";
        }
        if (!device.canFlushRdma()) {
            return "flushed by reading back";
        }
        context.flushRdmaWrites();
        return "flushed by the driver";
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            CudaMemory.free(address);
        }
    }
}
