package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;

/** The fused form: one launch an operation, of the kernel that the table picks. The context must be current. */
final class FusedKernels {
    private static final long DIRECT_FROM = 256 * 1024;

    private final KernelStore kernels;
    private final GpuLink link;
    private final int ranks;
    private final SymmetricHeap heap;
    private final KernelArguments[] arguments = new KernelArguments[Family.values().length];
    private final KernelPlan directPlan;
    private final KernelLauncher launcher;
    private long directFrom;
    private GpuTuner tuner;

    FusedKernels(
            KernelStore kernels,
            GpuLink link,
            int rank,
            SymmetricHeap heap,
            GpuOptions options,
            KernelLauncher launcher,
            Arena memory) {
        this.kernels = kernels;
        this.launcher = launcher;
        this.link = link;
        this.heap = heap;
        ranks = link.arenas().deviceAddresses().length;
        tuner = ranks > 2 && options.reproducible()
                ? ManyRanks.inRankOrder(ranks, blocksEach(), link.layout())
                : GpuTuner.shipped(link, ranks, blocksEach());
        // Two ranks are served as well without, and one kernel less is compiled.
        directFrom = ranks > 2 ? DIRECT_FROM : Long.MAX_VALUE;
        directPlan = new KernelPlan(Family.TWOSHOT, Math.min(64, blocksEach()), 512, 0, 0);
        ArenaLayout layout = link.layout();
        for (Family family : Family.values()) {
            arguments[family.index()] = link.arguments(rank, options.timeout().toNanos(), memory)
                    .region(layout.region(family), layout.bank(family));
        }
    }

    /** How many blocks of each rank certainly run at the same time, if all ranks share one device. */
    private int blocksEach() {
        int sharing = link.sharedDevice() ? ranks : 1;
        return Math.max(1, kernels.context().device().multiprocessors() / (2 * sharing));
    }

    void tune(GpuTuner table) {
        tuner = table;
    }

    GpuTuner tuner() {
        return tuner;
    }

    void directFrom(long bytes) {
        directFrom = bytes;
    }

    /** Enqueues the kernel, or several for what the slots of its family do not hold. Allocates nothing but the first time. */
    void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        long bytes = count * type.bytes();
        SymmetricMemory from =
                bytes < directFrom || count > OperationCode.MAX_SYMMETRIC_COUNT ? null : heap.holding(input, bytes);
        SymmetricMemory to = from == null ? null : heap.holding(output, bytes);
        if (to != null) {
            direct(from, to, input, output, count, type, op, stream);
            return;
        }
        KernelPlan plan = tuner.plan(bytes);
        long piece = link.layout().most(plan) / type.bytes();
        for (long done = 0; done < count; done += piece) {
            long offset = done * type.bytes();
            long here = Math.min(piece, count - done);
            arguments[plan.family().index()].operation(
                    input + offset, output + offset, here, OperationCode.allReduce(type, op, here));
            launch(plan, type, op, stream);
        }
    }

    private void direct(
            SymmetricMemory from,
            SymmetricMemory to,
            long input,
            long output,
            long count,
            DataType type,
            ReduceOp op,
            long stream) {
        KernelArguments block = arguments[Family.TWOSHOT.index()];
        for (int r = 0; r < ranks; r++) {
            block.registered(r, from.at(r, input), to.at(r, output));
        }
        long place = from.place(input) * 31 + to.place(output);
        block.operation(input, output, count, OperationCode.symmetricAllReduce(type, op, count, place));
        launch(directPlan, type, op, stream);
    }

    private void launch(KernelPlan plan, DataType type, ReduceOp op, long stream) {
        KernelArguments block =
                arguments[plan.family().index()].shape(link.layout().extent(plan), plan.depth());
        CudaKernel kernel = kernels.kernel(plan.family(), type, op);
        int threads = plan.threads() + plan.family().extraThreads();
        launcher.launch(kernel, plan.blocks(), threads, stream, block);
    }
}
