package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.util.Locale;

/**
 * All-gather and reduce-scatter in the fused form: one launch an operation. Sums are in the ranks' order and rounded once, whatever the
 * size. The context must be current.
 */
final class PartKernels {
    private static final int TYPES = DataType.values().length;
    private static final int OPS = ReduceOp.values().length;

    private final KernelStore kernels;
    private final ArenaLayout layout;
    private final int blocks;
    private final KernelArguments lines;
    private final KernelArguments slots;
    private final CudaKernel[] gather = new CudaKernel[2];
    private final CudaKernel[] scatter = new CudaKernel[2 * TYPES * OPS];
    private PartShape shape;

    PartKernels(KernelStore kernels, GpuLink link, int rank, GpuOptions options, Arena memory) {
        this.kernels = kernels;
        layout = link.layout();
        int sharing = link.sharedDevice() ? layout.ranks() : 1;
        blocks = Math.max(2, link.weakest().multiprocessors() / sharing);
        long timeout = options.timeout().toNanos();
        lines = link.arguments(rank, timeout, memory).region(layout.region(Family.LL), layout.bank(Family.LL));
        slots = link.arguments(rank, timeout, memory).region(layout.partsRegion(), layout.partsBank());
    }

    /** The same for all sizes that it can serve; {@code null}: the shipped choice. */
    void shape(PartShape only) {
        shape = only;
    }

    /** Enqueues an all-gather. Allocates nothing but the first time. */
    void allGather(long input, long output, long count, DataType type, long stream) {
        long bytes = count * type.bytes();
        PartShape how = shape(bytes);
        int index = how.lines() ? 1 : 0;
        if (gather[index] == null) {
            gather[index] = kernels.kernel("gather", how.lines() ? "gather_ll" : "gather");
        }
        arguments(how).stride(bytes).operation(input, output, bytes, OperationCode.allGather(type, count));
        launch(how, gather[index], stream);
    }

    /** Enqueues a reduce-scatter. Allocates nothing but the first time. */
    void reduceScatter(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        long bytes = count * type.bytes();
        PartShape how = shape(bytes);
        int index = ((how.lines() ? TYPES : 0) + type.code()) * OPS + op.code();
        if (scatter[index] == null) {
            scatter[index] = kernels.kernel(
                    "scatter_" + type.name().toLowerCase(Locale.ROOT),
                    (how.lines() ? "scatter_ll_" : "scatter_") + op.label());
        }
        arguments(how).stride(bytes).operation(input, output, count, OperationCode.reduceScatter(type, op, count));
        launch(how, scatter[index], stream);
    }

    private PartShape shape(long bytes) {
        boolean served = shape != null && (!shape.lines() || bytes <= layout.lines() * 8L);
        return served ? shape : PartShape.shipped(layout, blocks, bytes);
    }

    private KernelArguments arguments(PartShape how) {
        return how.lines() ? lines.shape(layout.lines(), 0) : slots.shape(how.slotBytes() / 16, PartShape.DEPTH);
    }

    private void launch(PartShape how, CudaKernel kernel, long stream) {
        int threads = how.threads() + (how.lines() ? Family.LL.extraThreads() : 0);
        kernel.launch(how.blocks(), threads, stream, (how.lines() ? lines : slots).address());
    }
}
