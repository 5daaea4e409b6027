package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.Plan;
import dev.mininccl.core.tuning.Tuner;
import java.lang.foreign.Arena;
import java.util.function.Supplier;

/**
 * Runs all-reduces on host memory. Small ones go over the caller's channel; large ones are shared among all channels, one
 * thread each. Used by one thread at a time.
 */
public final class HostEngine implements AutoCloseable {

    /** Below this share a further thread costs more than it brings. */
    private static final long LEAST_SHARE_BYTES = 512 << 10;

    private final int ranks;
    private final Tuner tuner;
    private final Channel own;
    private final ChannelWorker[] workers;
    private final Waiter joining;
    private final Failures failures;

    /**
     * Creates the engine.
     *
     * @param rank this rank
     * @param links by channel, then by peer
     * @param tuner picks the plans
     * @param windows memory that all ranks have mapped
     * @param waiters makes a waiter for each thread
     * @param failures turns bad endings into exceptions
     * @param settings of the process
     * @param arena owns small native memory of the engine
     */
    public HostEngine(
            int rank,
            Link[][] links,
            Tuner tuner,
            WindowTable windows,
            Supplier<Waiter> waiters,
            Failures failures,
            Settings settings,
            Arena arena) {
        this.ranks = links[0].length;
        this.tuner = tuner;
        this.failures = failures;
        this.joining = waiters.get();
        this.own = new Channel(rank, links[0], windows, waiters.get(), settings, arena);
        this.workers = new ChannelWorker[links.length - 1];
        for (int i = 0; i < workers.length; i++) {
            Channel channel = new Channel(rank, links[i + 1], windows, waiters.get(), settings, arena);
            workers[i] = new ChannelWorker(channel, "mininccl-channel-" + rank + "." + (i + 1));
        }
    }

    /**
     * Reduces over all ranks.
     *
     * @param in address of the input
     * @param out address of the output, the input's own or one that does not overlap it
     * @param count elements, at least 1
     * @param type of the elements
     * @param op the reduction
     * @param sequence the operation's number
     * @param fingerprint of the operation
     */
    public void allReduce(long in, long out, long count, DataType type, ReduceOp op, long sequence, long fingerprint) {
        long bytes = count * type.bytes();
        if (ranks == 1) {
            if (in != out) {
                NativeMemory.copy(in, out, bytes);
            }
            return;
        }
        Plan plan = tuner.plan(bytes);
        if (workers.length > 0 && bytes >= LEAST_SHARE_BYTES * (workers.length + 1)) {
            shared(in, out, count, type, op, sequence, fingerprint);
            return;
        }
        int ended;
        try {
            ended = own.run(in, out, count, type, op, fingerprint, plan);
        } catch (RuntimeException | Error e) {
            // Otherwise the peers would wait for their deadline.
            throw failures.threw(e, sequence);
        }
        if (ended != Algorithm.DONE) {
            throw failures.failed(own, ended, sequence);
        }
    }

    private void shared(long in, long out, long count, DataType type, ReduceOp op, long sequence, long fingerprint) {
        int shares = workers.length + 1;
        long share = (count / shares + 63) / 64 * 64;
        Plan plan = tuner.plan(share * type.bytes());
        for (int i = 0; i < workers.length; i++) {
            long start = share * (i + 1);
            long length = i == workers.length - 1 ? count - start : share;
            long offset = start * type.bytes();
            workers[i].start(in + offset, out + offset, length, type, op, fingerprint, plan);
        }
        int ended = own.run(in, out, share, type, op, fingerprint, plan);
        if (ended != Algorithm.DONE) {
            failures.note(own, ended, sequence);
        }
        joining.begin();
        for (ChannelWorker worker : workers) {
            while (!worker.finished()) {
                // A worker sees abort and deadline by itself; this wait only spares the core.
                joining.idle();
            }
        }
        for (ChannelWorker worker : workers) {
            if (worker.thrown() != null) {
                throw failures.threw(worker.thrown(), sequence);
            }
            if (worker.ended() != Algorithm.DONE) {
                throw failures.failed(worker.channel(), worker.ended(), sequence);
            }
        }
        if (ended != Algorithm.DONE) {
            throw failures.failed(own, ended, sequence);
        }
    }

    /** Ends the channels' threads. Idempotent. */
    @Override
    public void close() {
        for (ChannelWorker worker : workers) {
            worker.close();
        }
    }
}
