package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.host.Shares;
import dev.mininccl.core.host.Staging;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.spi.AbortReason;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One rank's collectives on a GPU that no lane of GPUs links to all its peers: they are on other machines, or have no GPU. A kernel, one
 * launch an operation, asks the host engine for it, carries the input to pinned memory and the result back, piece by piece; or several do,
 * in steps. Peers see the host engine's slices and cannot tell what a rank's memory is.
 */
final class StagedEngine implements DeviceEngine {
    private static final Logger LOG = System.getLogger("mininccl.gpu");
    private static final long CLOSE_NANOS = 5_000_000_000L;

    private final CudaContext context;
    private final String story;
    private final StopReasons reasons;
    private final Consumer<AbortReason> broken;
    private final int rank;
    private final int ranks;
    private final Arena memory = Arena.ofShared();
    private final MemorySegment scratch = memory.allocate(8, 8);
    private final StagingMemory staging;
    private final boolean stepwise;
    private final Relay relay;
    private final StreamOrder order;
    private final BufferCheck check;
    private final StagingServer server;
    private final BooleanSupplier withdraw;

    /**
     * Sets it up; the context must be current.
     *
     * @param context the device's
     * @param rank this rank
     * @param ranks how many there are
     * @param host what serves it
     * @param steps whether to go in steps
     * @param broken hears why the engine broke if it was the engine that noticed
     * @param why no other engine will do
     */
    StagedEngine(
            CudaContext context,
            int rank,
            int ranks,
            HostService host,
            boolean steps,
            Consumer<AbortReason> broken,
            String why) {
        this.context = context;
        this.rank = rank;
        this.ranks = ranks;
        this.broken = broken;
        withdraw = host.withdraw();
        int channels = host.channels();
        long segmentBytes = Shares.segmentBytes(host.stagingBytes());
        boolean fits = FusedRelay.threads(context, channels) > 0;
        stepwise = steps || !fits;
        story = "rank " + rank + " on GPU " + context.device().ordinal() + ": through " + (host.stagingBytes() >> 20)
                + " MiB of pinned memory and the host engine on " + channels
                + (channels == 1 ? " channel" : " channels")
                + (fits ? "" : ", whose " + 2 * channels + " blocks do not fit the GPU at a time,")
                + (stepwise ? " in steps" : "") + ", since " + why;
        staging = StagingMemory.allocate(2 * segmentBytes);
        reasons = new StopReasons(rank, staging.words(), broken);
        long[] seen = {
            CudaHostMemory.deviceAddress(staging.halves().segment().address()),
            CudaHostMemory.deviceAddress(staging.lines()),
            host.leastShare()
        };
        // The host has the deadline: the kernel cannot tell a slow network from a lost peer.
        KernelArguments arguments = new KernelArguments(memory)
                .communicator(rank, seen, staging.control(), staging.words().deviceAddress(), 0);
        relay = stepwise
                ? new StepwiseRelay(
                        new KernelSteps(KernelStore.of(context.device()), arguments),
                        seen[0],
                        seen[1],
                        segmentBytes,
                        channels,
                        host.leastShare(),
                        rank,
                        ranks)
                : new FusedRelay(context, arguments, segmentBytes, channels, ranks);
        order = new StreamOrder();
        check = new BufferCheck(context.device().ordinal(), memory);
        Staging shared = new Staging(staging.halves().segment(), staging.lines(), channels);
        server = new StagingServer(
                "mininccl-staging-" + rank,
                host.pinning().near(context.device().pciBusId()),
                shared,
                host.operations(),
                this::fail);
    }

    private void fail(Throwable thrown) {
        broken.accept(new AbortReason(AbortReason.Kind.INTERNAL, rank, -1, "gpu: internal error: " + thrown));
    }

    @Override
    public void run(
            Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        BufferCheck.arguments(collective, input, output, count, type, rank, ranks);
        reasons.throwIfStopped();
        boolean entered = context.enter(scratch);
        try {
            if (count > 0) {
                check.memory(collective, input, output, count * type.bytes(), ranks);
            }
            if (stepwise && CudaStream.capturing(stream)) {
                throw new InvalidCallException(
                        "the stepwise engine counts on the host and cannot be captured: use the fused one");
            }
            order.next(stream);
            relay.run(collective, input, output, count, type, op, stream);
        } finally {
            if (entered) {
                context.leave();
            }
        }
        server.wake();
    }

    @Override
    public long allocate(long bytes) {
        throw new InvalidCallException(
                ResultCode.INVALID_USAGE, "no memory that every rank's GPU reaches: " + explain());
    }

    @Override
    public void synchronize(long stream) {
        boolean entered = context.enter(scratch);
        try {
            CudaStream.synchronize(stream);
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
    public boolean staged() {
        return true;
    }

    @Override
    public String explain() {
        return story;
    }

    @Override
    public void close() {
        if (!reasons.close()) {
            return;
        }
        context.enter();
        try {
            if (!staging.words().raisedAcquire() && !order.drain(CLOSE_NANOS)) {
                // Otherwise the host engine would go on waiting for peers.
                broken.accept(new AbortReason(
                        AbortReason.Kind.CLOSED,
                        rank,
                        -1,
                        "rank " + rank + " closed its GPU while an operation was under way"));
            }
            staging.words().raiseRelease();
            server.close();
            order.synchronize();
            order.close();
            relay.close();
            reasons.forgetWords();
            staging.closeDeviceSide();
            closeHostSide();
        } finally {
            context.leave();
            memory.close();
        }
    }

    private void closeHostSide() {
        if (server.running() || !staging.closeHostSide(withdraw)) {
            LOG.log(
                    Level.WARNING,
                    "gpu: an operation of rank {0} did not stop in time; its staging memory stays pinned",
                    rank);
        }
    }
}
