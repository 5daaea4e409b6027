package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
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
    private final KernelLauncher launcher;
    private final ArenaLayout layout;
    private final int blocks;
    private final KernelArguments lines;
    private final KernelArguments slots;
    private final CudaKernel[] gather = new CudaKernel[2];
    private final CudaKernel[] scatter = new CudaKernel[2 * TYPES * OPS];
    private PartShape shape;

    PartKernels(
            KernelStore kernels, GpuLink link, int rank, GpuOptions options, KernelLauncher launcher, Arena memory) {
        this.kernels = kernels;
        this.launcher = launcher;
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

    /** Enqueues an all-gather or a reduce-scatter. Allocates nothing but the first time. */
    void run(Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        long bytes = count * type.bytes();
        PartShape how = shape(bytes);
        CudaKernel kernel = collective.reduces() ? scatter(how, type, op) : gather(how);
        // Gathered bytes have no type.
        long units = collective.reduces() ? count : bytes;
        KernelArguments arguments =
                how.lines() ? lines.shape(layout.lines(), 0) : slots.shape(how.slotBytes() / 16, PartShape.DEPTH);
        arguments.stride(bytes).operation(input, output, units, OperationCode.of(collective, type, op, count));
        if (how.lines()) {
            launcher.launch(kernel, how.blocks(), how.threads() + Family.LL.extraThreads(), stream, arguments);
        } else {
            // These gain nothing by coming before the last one has left, and in graphs they lose.
            kernel.launch(how.blocks(), how.threads(), stream, arguments.address());
        }
    }

    private CudaKernel gather(PartShape how) {
        int index = how.lines() ? 1 : 0;
        if (gather[index] == null) {
            gather[index] = kernels.earlyKernel("gather", how.lines() ? "gather_ll" : "gather");
        }
        return gather[index];
    }

    private CudaKernel scatter(PartShape how, DataType type, ReduceOp op) {
        int index = ((how.lines() ? TYPES : 0) + type.code()) * OPS + op.code();
        if (scatter[index] == null) {
            scatter[index] = kernels.earlyKernel(
                    "scatter_" + type.name().toLowerCase(Locale.ROOT),
                    (how.lines() ? "scatter_ll_" : "scatter_") + op.label());
        }
        return scatter[index];
    }

    private PartShape shape(long bytes) {
        boolean served = shape != null && (!shape.lines() || bytes <= layout.lines() * 8L);
        return served ? shape : PartShape.shipped(layout, blocks, bytes);
    }
}
