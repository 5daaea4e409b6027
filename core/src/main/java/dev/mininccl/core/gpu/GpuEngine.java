package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One rank's all-reduce on a GPU, among ranks of one machine. Calls enqueue a kernel and return; kernels find and check their peers
 * by themselves. One thread at a time; any thread.
 *
 * <p>Operations of all streams run in the order they were enqueued. A stream must outlive the call after its last one here.
 */
public final class GpuEngine implements AutoCloseable {
    private static final Logger LOG = System.getLogger(GpuEngine.class.getName());
    private static final long DIRECT_FROM = 256 * 1024;
    private static final long CLOSE_NANOS = 5_000_000_000L;

    private final Bootstrap bootstrap;
    private final Consumer<AbortReason> broken;
    private final CudaContext context;
    private final KernelStore kernels;
    private final Arena memory = Arena.ofShared();
    private final MemorySegment scratch = memory.allocate(8, 8);
    private final StopWords words;
    private final long control;
    private final GpuSetup.Outcome connected;
    private final KernelArguments[] arguments = new KernelArguments[Family.values().length];
    private final BufferCheck check;
    private final boolean checkPointers;
    private final long orderEvent;
    private final int rank;
    private final KernelPlan directPlan;
    private final StepwiseRing steps;
    private final long timeoutNanos;
    private SymmetricMemory[] symmetric = {};
    private long directFrom;
    private GpuTuner tuner;
    private boolean used;
    private long lastStream;
    private volatile AbortReason aborted;
    private boolean closed;

    private GpuEngine(Bootstrap bootstrap, CudaContext context, GpuOptions options, Consumer<AbortReason> broken) {
        this.bootstrap = bootstrap;
        this.broken = broken;
        this.context = context;
        rank = bootstrap.rank();
        kernels = KernelStore.of(context.device());
        words = new StopWords();
        control = CudaMemory.allocate(ArenaLayout.CONTROL_BYTES);
        CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
        CudaStream.synchronize(0);
        timeoutNanos = options.timeout().toNanos();
        Voting voting = new Voting(bootstrap, Deadline.after(options.timeout()));
        connected = new GpuSetup(bootstrap, context, control, words, voting).connect(options.lane());
        tuner = defaultTuner();
        // Two ranks are served as well without, and one kernel less is compiled.
        directFrom = bootstrap.size() > 2 ? DIRECT_FROM : Long.MAX_VALUE;
        directPlan = new KernelPlan(Family.TWOSHOT, Math.min(64, blocksEach()), 512, 0, 0);
        for (Family family : Family.values()) {
            arguments[family.index()] = new KernelArguments(memory)
                    .communicator(
                            rank,
                            connected.arenas().deviceAddresses(),
                            control,
                            words.deviceAddress(),
                            options.timeout().toNanos())
                    .region(
                            connected.layout().region(family),
                            connected.layout().bank(family));
        }
        steps = options.stepwise() ? stepwise(options) : null;
        check = new BufferCheck(context.device().ordinal(), memory);
        checkPointers = options.checkPointers();
        orderEvent = CudaEvent.create(false);
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
        CudaContext context = KernelStore.of(new CudaDevice(ordinal)).context();
        context.enter();
        try {
            return new GpuEngine(bootstrap, context, options, broken);
        } finally {
            context.leave();
        }
    }

    private StepwiseRing stepwise(GpuOptions options) {
        long[] arenas = connected.arenas().deviceAddresses();
        KernelArguments block = new KernelArguments(memory)
                .communicator(
                        rank,
                        arenas,
                        control,
                        words.deviceAddress(),
                        options.timeout().toNanos());
        return new StepwiseRing(kernels, connected.layout(), arenas, rank, block);
    }

    private GpuTuner defaultTuner() {
        ArenaLayout layout = connected.layout();
        int ranks = bootstrap.size();
        if (ranks > 2 || connected.sharedDevice()) {
            return GpuTuner.many(ranks, blocksEach(), layout);
        }
        if (connected.lane() == GpuLane.HOST) {
            return GpuTuner.hostPair();
        }
        return connected.nvlink() ? GpuTuner.nvlinkPair(layout) : GpuTuner.pciePair(layout);
    }

    /**
     * Replaces the table that picks kernels; all ranks do it alike, between two operations. Every plan must fit the slots that were
     * set up: see {@link #holds}.
     */
    public void tune(GpuTuner table) {
        tuner = table;
    }

    /** How many blocks of each rank certainly run at the same time, if all ranks share one device. */
    private int blocksEach() {
        int sharing = connected.sharedDevice() ? bootstrap.size() : 1;
        return Math.max(1, context.device().multiprocessors() / (2 * sharing));
    }

    /** From which size on symmetric memory is reduced in place of being sent through slots; all ranks set it alike. */
    public void directFrom(long bytes) {
        directFrom = bytes;
    }

    /** The table in use. */
    public GpuTuner tuner() {
        return tuner;
    }

    /** Whether the slots that were set up have room for a plan. */
    public boolean holds(KernelPlan plan, long bytes) {
        return connected.layout().holds(plan, bytes);
    }

    /** The lane that was chosen. */
    public GpuLane lane() {
        return connected.lane();
    }

    /** Which lane was chosen, and why. */
    public String explain() {
        return "rank " + rank + " on GPU " + context.device().ordinal() + ": " + connected.story();
    }

    /** The plan for a size. */
    public KernelPlan plan(long bytes) {
        return tuner.plan(bytes);
    }

    /**
     * Enqueues an all-reduce.
     *
     * @param input device address
     * @param output device address, the same or apart
     * @param count elements; 0 does nothing
     * @param type the element type
     * @param op the reduction
     * @param stream a stream of the device's primary context
     * @throws InvalidCallException if an argument is wrong; nothing was enqueued
     * @throws CommunicatorException if the communicator was aborted
     */
    public void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        BufferCheck.arguments(input, output, count, type);
        if (words.raisedAcquire() || closed) {
            throw failure();
        }
        if (count == 0) {
            return;
        }
        long bytes = count * type.bytes();
        KernelPlan plan = tuner.plan(bytes);
        boolean entered = context.enter(scratch);
        try {
            if (checkPointers) {
                check.memory("input", input, bytes);
                if (output != input) {
                    check.memory("output", output, bytes);
                }
            }
            if (steps == null) {
                enqueue(input, output, count, type, op, stream, plan);
            } else {
                enqueueSteps(input, output, count, type, op, stream);
            }
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    private void enqueue(
            long input, long output, long count, DataType type, ReduceOp op, long stream, KernelPlan usual) {
        long bytes = count * type.bytes();
        SymmetricMemory from = symmetric.length == 0 ? null : symmetric(input, bytes);
        SymmetricMemory to = from == null ? null : symmetric(output, bytes);
        boolean direct = to != null && bytes >= directFrom && count <= OperationCode.MAX_SYMMETRIC_COUNT;
        KernelPlan plan = direct ? directPlan : usual;
        CudaKernel kernel = kernels.kernel(plan.family(), type, op);
        if (stream != lastStream || !used) {
            follow(stream);
        }
        KernelArguments block = arguments[plan.family().index()];
        block.shape(connected.layout().extent(plan), plan.depth());
        if (direct) {
            for (int r = 0; r < bootstrap.size(); r++) {
                block.registered(r, from.at(r, input), to.at(r, output));
            }
        }
        block.operation(
                input,
                output,
                count,
                direct
                        ? OperationCode.symmetricAllReduce(type, op, count, from.place(input) * 31 + to.place(output))
                        : OperationCode.allReduce(type, op, count));
        kernel.launch(plan.blocks(), plan.threads() + plan.family().extraThreads(), stream, block.address());
    }

    private void enqueueSteps(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        if (CudaStream.capturing(stream)) {
            throw new InvalidCallException(
                    "the stepwise engine counts on the host and cannot be captured: use the fused one");
        }
        if (stream != lastStream || !used) {
            follow(stream);
        }
        steps.allReduce(input, output, count, type, op, stream);
    }

    private SymmetricMemory symmetric(long address, long bytes) {
        for (SymmetricMemory memory : symmetric) {
            if (memory.holds(address, bytes)) {
                return memory;
            }
        }
        return null;
    }

    /**
     * Allocates device memory that every rank reaches directly; all ranks call it alike. Freed when the engine is closed.
     *
     * @param bytes the size, the same on all ranks
     * @return its address
     * @throws CommunicatorException if a rank cannot allocate or map it
     */
    public long allocate(long bytes) {
        Voting voting = new Voting(bootstrap, Deadline.afterNanos(timeoutNanos));
        boolean entered = context.enter(scratch);
        try {
            PeerArenas arenas = new GpuSetup(bootstrap, context, control, words, voting).mapped(bytes, lane());
            long base = arenas.deviceAddresses()[rank];
            SymmetricMemory[] more = Arrays.copyOf(symmetric, symmetric.length + 1);
            more[symmetric.length] = new SymmetricMemory(arenas, symmetric.length, base, bytes);
            symmetric = more;
            return base;
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    /** Keeps the order of operations across streams. A stream that is being captured is ordered by its graph. */
    private void follow(long stream) {
        if (used && !CudaStream.capturing(stream) && !CudaStream.capturing(lastStream)) {
            CudaEvent.record(orderEvent, lastStream);
            CudaStream.await(stream, orderEvent);
        }
        lastStream = stream;
        used = true;
    }

    /**
     * Waits for a stream, and looks whether its operations ended well.
     *
     * @param stream the stream
     * @throws CommunicatorException if the communicator was aborted
     */
    public void synchronize(long stream) {
        boolean entered = context.enter(scratch);
        try {
            CudaStream.synchronize(stream);
        } finally {
            if (entered) {
                context.leave();
            }
        }
        if (words.raisedAcquire()) {
            throw failure();
        }
    }

    /**
     * Whether a kernel or the host has stopped this communicator; cheap, for a thread that watches.
     *
     * @return true once it is broken
     */
    public boolean stopped() {
        return words.raisedAcquire();
    }

    /**
     * Makes running kernels leave and calls fail. Returns at once.
     *
     * @param reason what the exceptions will say
     */
    public void abort(AbortReason reason) {
        if (aborted == null) {
            aborted = reason;
        }
        words.raiseRelease();
    }

    /** The first reason, which all ranks are told. */
    private CommunicatorException failure() {
        AbortReason reason = aborted;
        if (reason == null) {
            reason = closed
                    ? new AbortReason(AbortReason.Kind.CLOSED, rank, -1, "the communicator is closed")
                    : kernelReason();
            aborted = reason;
            broken.accept(reason);
        }
        return CommunicatorException.aborted(reason, rank, reason.sequence());
    }

    private AbortReason kernelReason() {
        long sequence = words.sequence();
        if (words.reason() == StopWords.DISAGREEMENT) {
            return new AbortReason(
                    AbortReason.Kind.MISMATCH,
                    words.peer(),
                    sequence,
                    "gpu: operation #" + sequence + " differs: rank "
                            + rank + " called " + OperationCode.describe(words.expected()) + "; rank " + words.peer()
                            + " called "
                            + OperationCode.describe(words.seen())
                            + "; all ranks must make the same calls in the same order");
        }
        return new AbortReason(
                AbortReason.Kind.TIMEOUT,
                rank,
                sequence,
                "gpu: operation #" + sequence + " ("
                        + OperationCode.describe(words.expected()) + ") of rank " + rank
                        + " did not end in time: a peer has not called it, or is gone");
    }

    /** Ends it in any state: kernels leave, memory goes back. All ranks should have ended their operations. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        context.enter();
        try {
            if (used && !words.raisedAcquire()) {
                drain();
            }
            meetPeers();
            words.raiseRelease();
            if (used) {
                CudaStream.synchronize(lastStream);
            }
            if (steps != null) {
                steps.close();
            }
            CudaEvent.destroy(orderEvent);
            for (SymmetricMemory memory : symmetric) {
                memory.arenas().close();
            }
            connected.arenas().close();
            CudaMemory.free(control);
            words.close();
        } finally {
            context.leave();
            memory.close();
        }
    }

    /** A peer's last kernel may still write to this rank's arena; where peers are gone or broken there is none. */
    private void meetPeers() {
        if (words.raisedAcquire()) {
            return;
        }
        try {
            bootstrap.barrier(Deadline.afterNanos(CLOSE_NANOS));
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "gpu: closing without rank {0}''s peers: {1}", rank, e.getMessage());
        }
    }

    private void drain() {
        long end = System.nanoTime() + CLOSE_NANOS;
        while (!CudaStream.done(lastStream) && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
