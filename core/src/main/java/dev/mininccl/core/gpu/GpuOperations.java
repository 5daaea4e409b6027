package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;

/**
 * Enqueues operations in the order of the calls, as one kernel each or in steps, or gives them to the kernel that stays. The context must
 * be current, and arguments valid.
 */
final class GpuOperations implements AutoCloseable {
    private final SymmetricHeap heap = new SymmetricHeap();
    private final StreamOrder order = new StreamOrder();
    private final KernelLauncher launcher;
    private final FusedKernels fused;
    private final PartKernels parts;
    /** One of both is there, if any. */
    private final StepwiseRing steps;

    private final ResidentKernel resident;
    /** Of blocking calls; made by the first one, since streams share a device's queues. 0: not yet. */
    private long ownStream;

    GpuOperations(KernelStore store, GpuLink link, int rank, GpuOptions options, Arena memory) {
        KernelStore kernels = link.sharedDevice() ? store.settling(order::settle) : store;
        launcher = new KernelLauncher(kernels, link, memory);
        fused = new FusedKernels(kernels, link, rank, heap, options, launcher, memory);
        parts = new PartKernels(kernels, link, rank, options, launcher, memory);
        long timeoutNanos = options.timeout().toNanos();
        steps = options.inSteps(link.layout().ranks())
                ? new StepwiseRing(kernels, link, rank, timeoutNanos, memory)
                : null;
        resident = ResidentKernel.suits(link, options)
                ? new ResidentKernel(
                        store, link, rank, timeoutNanos, options.residentIdle().toNanos(), memory)
                : null;
    }

    SymmetricHeap heap() {
        return heap;
    }

    KernelLauncher launcher() {
        return launcher;
    }

    FusedKernels fused() {
        return fused;
    }

    PartKernels parts() {
        return parts;
    }

    /** The kernel that stays, or null. */
    ResidentKernel resident() {
        return resident;
    }

    void enqueue(Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        if (steps != null && CudaStream.capturing(stream)) {
            throw new InvalidCallException(
                    "the stepwise engine counts on the host and cannot be captured: use the fused one");
        }
        order.next(stream);
        if (steps != null) {
            steps.run(collective, input, output, count, type, op, stream);
        } else if (collective == Collective.ALL_REDUCE) {
            fused.allReduce(input, output, count, type, op, stream);
        } else {
            parts.run(collective, input, output, count, type, op, stream);
        }
    }

    /**
     * Returns when the result is there, or the communicator stopped.
     *
     * @return false if the kernel that stays took longer than an operation may
     */
    boolean complete(Collective collective, long input, long output, long count, DataType type, ReduceOp op) {
        boolean stays = resident != null
                && collective == Collective.ALL_REDUCE
                && fused.tuner().plan(count * type.bytes()).family() == Family.LL2;
        boolean inTime = true;
        if (stays && resident.ready(type, op) && order.quiet()) {
            inTime = resident.allReduce(input, output, count);
        } else {
            if (ownStream == 0) {
                ownStream = CudaStream.create();
            }
            enqueue(collective, input, output, count, type, op, ownStream);
            order.synchronize(ownStream);
        }
        if (stays) {
            resident.called();
        }
        return inTime;
    }

    /** Waits for a stream. */
    void synchronize(long stream) {
        order.synchronize(stream);
    }

    /** Waits a while for what was enqueued last. */
    void drain(long nanos) {
        order.drain(nanos);
    }

    /** What is under way must end by itself, or kernels must have been told to stop. */
    @Override
    public void close() {
        order.synchronize();
        if (steps != null) {
            steps.close();
        }
        if (resident != null) {
            resident.close();
        }
        order.close();
        if (ownStream != 0) {
            CudaStream.destroy(ownStream);
        }
        heap.close();
    }
}
