package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.tuning.TuningFile;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One rank's collectives on a GPU, among ranks of one machine whose kernels reach each other's memory. Calls enqueue a kernel and
 * return; kernels find and check their peers by themselves.
 */
public final class GpuEngine implements DeviceEngine {
    private static final Logger LOG = System.getLogger(GpuEngine.class.getName());
    private static final long CLOSE_NANOS = 5_000_000_000L;
    /** What a rank took part in before it left has ended by then. */
    private static final long LEFT_NANOS = 1_000_000_000L;

    private final Bootstrap bootstrap;
    private final int rank;
    private final CudaContext context;
    private final GpuLink link;
    private final Mates mates;
    private final StopReasons reasons;
    private final long timeoutNanos;
    private final Arena memory = Arena.ofShared();
    private final MemorySegment scratch = memory.allocate(8, 8);
    private final StreamOrder order = new StreamOrder();
    /** Of blocking calls. */
    private final long ownStream = CudaStream.create();

    private final SymmetricHeap heap = new SymmetricHeap();
    private final FusedKernels fused;
    private final PartKernels parts;
    private final StepwiseRing steps;
    private final ResidentKernel resident;
    private final BufferCheck check;
    private final boolean checkPointers;

    private GpuEngine(
            Bootstrap bootstrap,
            CudaContext context,
            GpuLink link,
            Mates mates,
            GpuOptions options,
            Consumer<AbortReason> broken) {
        this.bootstrap = bootstrap;
        this.context = context;
        this.link = link;
        this.mates = mates;
        rank = bootstrap.rank();
        reasons = new StopReasons(rank, link.words(), broken);
        timeoutNanos = options.timeout().toNanos();
        KernelStore loaded = KernelStore.of(context.device());
        KernelStore kernels = link.sharedDevice() ? loaded.settling(order::settle) : loaded;
        fused = new FusedKernels(kernels, link, rank, heap, options, memory);
        parts = new PartKernels(kernels, link, rank, options, memory);
        steps = options.inSteps(bootstrap.size()) ? new StepwiseRing(kernels, link, rank, timeoutNanos, memory) : null;
        resident = ResidentKernel.suits(link, options)
                ? new ResidentKernel(
                        kernels,
                        link,
                        rank,
                        timeoutNanos,
                        options.residentIdle().toNanos(),
                        memory)
                : null;
        check = new BufferCheck(context.device().ordinal(), memory);
        checkPointers = options.checkPointers();
        mates.join(reasons);
    }

    /**
     * Joins with a GPU; all ranks of the bootstrap call it.
     *
     * @param bootstrap the control plane
     * @param ordinal the device
     * @param options how
     * @param broken hears why the engine broke if it was the engine that noticed
     * @return the engine, to be closed
     * @throws CommunicatorException if there is no such device, or no lane to all peers
     */
    public static GpuEngine open(Bootstrap bootstrap, int ordinal, GpuOptions options, Consumer<AbortReason> broken) {
        return (GpuEngine) open(bootstrap, ordinal, options, broken, why -> {
            throw new CommunicatorException(ResultCode.SYSTEM_ERROR, bootstrap.rank(), -1, "gpu: " + why, null);
        });
    }

    /**
     * As {@link #open(Bootstrap, int, GpuOptions, Consumer)}, with an engine for ranks whose kernels cannot reach each other's memory.
     *
     * @param bootstrap the control plane
     * @param ordinal the device
     * @param options how
     * @param broken hears why the engine broke if it was the engine that noticed
     * @param otherwise makes the other engine on every rank, given why this one will not do; the device's context is current
     * @return the engine, to be closed
     * @throws CommunicatorException if there is no such device
     */
    public static DeviceEngine open(
            Bootstrap bootstrap,
            int ordinal,
            GpuOptions options,
            Consumer<AbortReason> broken,
            Function<String, DeviceEngine> otherwise) {
        CudaContext context = context(bootstrap, ordinal);
        context.enter();
        try {
            Voting voting = new Voting(bootstrap, Deadline.after(options.timeout()));
            GpuSetup setup = new GpuSetup(bootstrap, context, voting);
            Optional<GpuLink> link = setup.connect(options.lane());
            if (link.isEmpty()) {
                return otherwise.apply(setup.story());
            }
            Mates mates = Mates.meet(voting, bootstrap.rank());
            return new GpuEngine(bootstrap, context, link.get(), mates, options, broken);
        } finally {
            context.leave();
        }
    }

    private static CudaContext context(Bootstrap bootstrap, int ordinal) {
        Optional<String> absent = CudaDriver.start();
        if (absent.isPresent() || ordinal < 0 || ordinal >= CudaDriver.deviceCount()) {
            String why =
                    absent.orElseGet(() -> "device " + ordinal + ": must be 0 to " + (CudaDriver.deviceCount() - 1));
            throw new CommunicatorException(ResultCode.UNHANDLED_CUDA_ERROR, bootstrap.rank(), -1, "gpu: " + why, null);
        }
        if (bootstrap.size() < 2 || bootstrap.size() > KernelArguments.MAX_RANKS) {
            throw new InvalidCallException("ranks on the GPUs of one machine " + bootstrap.size() + ": must be 2 to "
                    + KernelArguments.MAX_RANKS);
        }
        return KernelStore.of(new CudaDevice(ordinal)).context();
    }

    /**
     * Replaces the table that picks kernels; all ranks do it alike, between two operations. Every plan must fit the slots that were
     * set up: see {@link #holds}.
     */
    public void tune(GpuTuner table) {
        fused.tune(table);
    }

    /** Lets a tuning file decide where it knows these ranks and this lane; all ranks have the same file. */
    public void tune(TuningFile file) {
        List<TuningFile.Row> rows = file.rows(TuningFile.gpuSection(bootstrap.size(), link.way()));
        if (!rows.isEmpty() && !link.sharedDevice()) {
            tune(tuner().with(rows, link.layout(), link.weakest()));
        }
    }

    /** From which size on symmetric memory is reduced in place of being sent through slots; all ranks set it alike. */
    public void directFrom(long bytes) {
        fused.directFrom(bytes);
    }

    /** Up to how many threads a kernel has that comes onto the device before the last one has left it; 0: none does. */
    public void overlapping(long threads) {
        fused.overlapping(threads);
    }

    /** The table in use. */
    public GpuTuner tuner() {
        return fused.tuner();
    }

    /** Whether the slots that were set up have room for a plan. */
    public boolean holds(KernelPlan plan, long bytes) {
        return link.layout().holds(plan, bytes);
    }

    /** Replaces the grid of the kernel that serves small blocking calls. */
    public void shape(ResidentShape shape) {
        resident.shape(shape);
    }

    /** Replaces the choice of the form of all-gather and reduce-scatter; all ranks do it alike. {@code null}: the shipped one. */
    public void shape(PartShape shape) {
        parts.shape(shape);
    }

    /** How many blocking calls took no launch. */
    public long servedByResident() {
        return resident == null ? 0 : resident.served();
    }

    /** The lane that was chosen. */
    public GpuLane lane() {
        return link.lane();
    }

    /** The plan for a size. */
    public KernelPlan plan(long bytes) {
        return fused.tuner().plan(bytes);
    }

    @Override
    public String explain() {
        return "rank " + rank + " on GPU " + context.device().ordinal() + ": " + link.story();
    }

    @Override
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        BufferCheck.arguments(input, output, count, type);
        reasons.throwIfStopped();
        if (count == 0) {
            return;
        }
        boolean entered = context.enter(scratch);
        try {
            if (checkPointers) {
                check.memory(input, output, count * type.bytes());
            }
            if (steps == null) {
                order.next(stream);
                fused.allReduce(input, output, count, type, op, stream);
            } else {
                enqueueSteps(input, output, count, type, op, stream);
            }
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    @Override
    public void allGather(long send, long recv, long count, DataType type, long stream) {
        BufferCheck.parts(send, recv, count, rank, bootstrap.size(), type);
        reasons.throwIfStopped();
        if (count == 0) {
            return;
        }
        boolean entered = context.enter(scratch);
        try {
            checkParts("send", send, "recv", recv, count * type.bytes());
            if (steps == null) {
                order.next(stream);
                parts.allGather(send, recv, count, type, stream);
            } else {
                nextStep(stream);
                steps.allGather(send, recv, count, type, stream);
            }
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    @Override
    public void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream) {
        BufferCheck.parts(recv, send, count, rank, bootstrap.size(), type);
        reasons.throwIfStopped();
        if (count == 0) {
            return;
        }
        boolean entered = context.enter(scratch);
        try {
            checkParts("recv", recv, "send", send, count * type.bytes());
            if (steps == null) {
                order.next(stream);
                parts.reduceScatter(send, recv, count, type, op, stream);
            } else {
                nextStep(stream);
                steps.reduceScatter(send, recv, count, type, op, stream);
            }
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    private void checkParts(String partName, long part, String wholeName, long whole, long bytes) {
        if (checkPointers) {
            check.memory(partName, part, bytes);
            check.memory(wholeName, whole, bytes * bootstrap.size());
        }
    }

    @Override
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op) {
        if (resident == null || count == 0 || plan(count * type.bytes()).family() != Family.LL2) {
            allReduce(input, output, count, type, op, ownStream);
            synchronize(ownStream);
            return;
        }
        BufferCheck.arguments(input, output, count, type);
        reasons.throwIfStopped();
        boolean entered = context.enter(scratch);
        try {
            if (checkPointers) {
                check.memory(input, output, count * type.bytes());
            }
            if (resident.ready(type, op) && order.quiet()) {
                stay(input, output, count);
            } else {
                order.next(ownStream);
                fused.allReduce(input, output, count, type, op, ownStream);
                order.synchronize(ownStream);
            }
            resident.called();
        } finally {
            if (entered) {
                context.leave();
            }
        }
        reasons.throwIfStopped();
    }

    private void stay(long input, long output, long count) {
        if (!resident.allReduce(input, output, count)) {
            reasons.abort(new AbortReason(
                    AbortReason.Kind.TIMEOUT,
                    rank,
                    -1,
                    "gpu: a blocking call of rank " + rank + " did not end in time"));
        }
    }

    private void enqueueSteps(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        nextStep(stream);
        steps.allReduce(input, output, count, type, op, stream);
    }

    private void nextStep(long stream) {
        if (CudaStream.capturing(stream)) {
            throw new InvalidCallException(
                    "the stepwise engine counts on the host and cannot be captured: use the fused one");
        }
        order.next(stream);
    }

    @Override
    public long allocate(long bytes) {
        Voting voting = new Voting(bootstrap, Deadline.afterNanos(timeoutNanos));
        boolean entered = context.enter(scratch);
        try {
            return heap.allocate(new PeerMapping(bootstrap, context, voting), lane(), rank, bytes);
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    @Override
    public void synchronize(long stream) {
        boolean entered = context.enter(scratch);
        try {
            order.synchronize(stream);
        } finally {
            if (entered) {
                context.leave();
            }
        }
        reasons.throwIfStopped();
    }

    @Override
    public boolean stopped() {
        return reasons.stoppedAcquire();
    }

    @Override
    public void abort(AbortReason reason) {
        reasons.abort(reason);
    }

    @Override
    public void left(int peer) {
        CompletableFuture.delayedExecutor(LEFT_NANOS, TimeUnit.NANOSECONDS)
                .execute(() -> reasons.abort(departure(peer)));
    }

    private static AbortReason departure(int peer) {
        return new AbortReason(
                AbortReason.Kind.CLOSED,
                peer,
                -1,
                "gpu: rank " + peer
                        + " closed its communicator, and operations need all ranks: make the same calls on every rank, then"
                        + " join anew");
    }

    @Override
    public void close() {
        if (!reasons.close()) {
            return;
        }
        context.enter();
        try {
            if (!link.words().raisedAcquire()) {
                order.drain(CLOSE_NANOS);
            }
            if (!meetPeers()) {
                mates.tell(departure(rank));
            }
            link.words().raiseRelease();
            order.synchronize();
            if (steps != null) {
                steps.close();
            }
            if (resident != null) {
                resident.close();
            }
            order.close();
            CudaStream.destroy(ownStream);
            heap.close();
            mates.leave();
            reasons.forgetWords();
            link.close();
        } finally {
            context.leave();
            memory.close();
        }
    }

    /**
     * A peer's last kernel may still write to this rank's arena; where peers are broken there is none.
     *
     * @return false if peers did not come, though they may have kernels that wait for this rank
     */
    private boolean meetPeers() {
        if (link.words().raisedAcquire()) {
            return true;
        }
        try {
            bootstrap.barrier(Deadline.afterNanos(LEFT_NANOS));
            return true;
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "gpu: closing without rank {0}''s peers: {1}", rank, e.getMessage());
            return false;
        }
    }
}
