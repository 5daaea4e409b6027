package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.schedule.Collective;
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
    private static final Logger LOG = System.getLogger("mininccl.gpu");
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
    private final GpuOperations operations;
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
        operations = new GpuOperations(KernelStore.of(context.device()), link, rank, options, memory);
        check = new BufferCheck(context.device().ordinal(), memory);
        checkPointers = options.checkPointers();
        mates.join(reasons);
    }

    /** As {@link #open(Bootstrap, int, GpuOptions, Consumer, Function)}, with no other engine: no lane to all peers is an error. */
    public static GpuEngine open(Bootstrap bootstrap, int ordinal, GpuOptions options, Consumer<AbortReason> broken) {
        return (GpuEngine) open(bootstrap, ordinal, options, broken, why -> {
            throw new CommunicatorException(ResultCode.SYSTEM_ERROR, bootstrap.rank(), -1, "gpu: " + why, null);
        });
    }

    /**
     * Joins with a GPU; all ranks of the bootstrap call it.
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
        CudaContext context = GpuSetup.context(bootstrap, ordinal);
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

    /**
     * Replaces the table that picks kernels; all ranks do it alike, between two operations. Every plan must fit the slots that were
     * set up: see {@link #holds}.
     */
    public void tune(GpuTuner table) {
        operations.fused().tune(table);
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
        operations.fused().directFrom(bytes);
    }

    /** Up to how many threads a kernel has that comes onto the device before the last one has left it; 0: none does. */
    public void overlapping(long threads) {
        operations.launcher().overlapping(threads);
    }

    /** The table in use. */
    public GpuTuner tuner() {
        return operations.fused().tuner();
    }

    /** Whether the slots that were set up have room for a plan. */
    public boolean holds(KernelPlan plan, long bytes) {
        return link.layout().holds(plan, bytes);
    }

    /** Replaces the grid of the kernel that serves small blocking calls. */
    public void shape(ResidentShape shape) {
        operations.resident().shape(shape);
    }

    /** Replaces the choice of the form of all-gather and reduce-scatter; all ranks do it alike. {@code null}: the shipped one. */
    public void shape(PartShape shape) {
        operations.parts().shape(shape);
    }

    /** How many blocking calls took no launch. */
    public long servedByResident() {
        return operations.resident() == null ? 0 : operations.resident().served();
    }

    /** The lane that was chosen. */
    public GpuLane lane() {
        return link.lane();
    }

    /** The plan for a size. */
    public KernelPlan plan(long bytes) {
        return operations.fused().tuner().plan(bytes);
    }

    @Override
    public String explain() {
        return "rank " + rank + " on GPU " + context.device().ordinal() + ": " + link.story();
    }

    @Override
    public void run(
            Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        check(collective, input, output, count, type);
        if (count == 0) {
            return;
        }
        boolean entered = context.enter(scratch);
        try {
            look(collective, input, output, count * type.bytes());
            operations.enqueue(collective, input, output, count, type, op, stream);
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    @Override
    public void run(Collective collective, long input, long output, long count, DataType type, ReduceOp op) {
        check(collective, input, output, count, type);
        if (count == 0) {
            return;
        }
        boolean entered = context.enter(scratch);
        try {
            look(collective, input, output, count * type.bytes());
            if (!operations.complete(collective, input, output, count, type, op)) {
                reasons.abort(StopReasons.late(rank));
            }
        } finally {
            if (entered) {
                context.leave();
            }
        }
        reasons.throwIfStopped();
    }

    private void check(Collective collective, long input, long output, long count, DataType type) {
        BufferCheck.arguments(collective, input, output, count, type, rank, bootstrap.size());
        reasons.throwIfStopped();
    }

    private void look(Collective collective, long input, long output, long bytes) {
        if (checkPointers) {
            check.memory(collective, input, output, bytes, bootstrap.size());
        }
    }

    @Override
    public long allocate(long bytes) {
        Voting voting = new Voting(bootstrap, Deadline.afterNanos(timeoutNanos));
        boolean entered = context.enter(scratch);
        try {
            return operations.heap().allocate(new PeerMapping(bootstrap, context, voting), lane(), rank, bytes);
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
            operations.synchronize(stream);
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
                .execute(() -> reasons.abort(StopReasons.departure(peer)));
    }

    @Override
    public void close() {
        if (!reasons.close()) {
            return;
        }
        context.enter();
        try {
            if (!link.words().raisedAcquire()) {
                operations.drain(CLOSE_NANOS);
            }
            if (!meetPeers()) {
                mates.tell(StopReasons.departure(rank));
            }
            link.words().raiseRelease();
            operations.close();
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
