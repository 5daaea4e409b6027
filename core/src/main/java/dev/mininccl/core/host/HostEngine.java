package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.Plan;
import dev.mininccl.core.tuning.Tuner;
import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Runs all-reduces on host memory. Small ones go over the caller's channel; large ones are shared among all channels, one
 * thread each. Used by one thread at a time.
 */
public final class HostEngine implements AutoCloseable {

    private final int ranks;
    private final Tuner tuner;
    private final Channel own;
    private final ChannelWorker[] workers;
    private final Waiter joining;
    private final Failures failures;
    private final long segmentBytes;

    /**
     * Creates the engine.
     *
     * @param rank this rank
     * @param links by channel, then by peer
     * @param near the processors to which a channel's own thread is kept; none for any
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
            IntFunction<BitSet> near,
            Tuner tuner,
            WindowTable windows,
            Supplier<Waiter> waiters,
            Failures failures,
            Settings settings,
            Arena arena) {
        this.ranks = links[0].length;
        this.tuner = tuner;
        this.failures = failures;
        this.segmentBytes = Shares.segmentBytes(settings.number(Setting.STAGING));
        this.joining = waiters.get();
        this.own = new Channel(rank, links[0], windows, waiters.get(), settings, arena);
        this.workers = new ChannelWorker[links.length - 1];
        for (int i = 0; i < workers.length; i++) {
            Channel channel = new Channel(rank, links[i + 1], windows, waiters.get(), settings, arena);
            workers[i] = new ChannelWorker(channel, "mininccl-channel-" + rank + "." + (i + 1), near.apply(i + 1));
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
        if (ranks == 1) {
            if (in != out) {
                NativeMemory.copy(in, out, count * type.bytes());
            }
            return;
        }
        long segment = Shares.segment(count, type.bytes(), segmentBytes);
        for (long done = 0; done < count; done += segment) {
            long offset = done * type.bytes();
            long elements = Math.min(segment, count - done);
            reduce(in + offset, out + offset, elements, type, op, sequence, fingerprint, null);
        }
    }

    /**
     * Reduces over all ranks what passes through staging memory. Peers see no difference.
     *
     * @param staging in which this rank's input appears and the result is left
     * @param count elements, at least 1
     * @param type of the elements
     * @param op the reduction
     * @param sequence the operation's number
     * @param fingerprint of the operation
     */
    public void allReduce(Staging staging, long count, DataType type, ReduceOp op, long sequence, long fingerprint) {
        long segment = Shares.segment(count, type.bytes(), segmentBytes);
        for (long done = 0; done < count; done += segment) {
            long memory = staging.next();
            reduce(memory, memory, Math.min(segment, count - done), type, op, sequence, fingerprint, staging);
            staging.drainedRelease();
        }
    }

    /**
     * How many channels large messages are shared among.
     *
     * @return at least 1
     */
    public int channels() {
        return workers.length + 1;
    }

    /**
     * Below this share a further channel costs more than it brings.
     *
     * @return bytes, the same on all ranks
     */
    public long leastShare() {
        return tuner.leastShare();
    }

    /** One segment. */
    private void reduce(
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint,
            Staging staging) {
        long bytes = count * type.bytes();
        int shares = Shares.channels(bytes, channels(), tuner.leastShare());
        if (shares > 1) {
            shared(shares, in, out, count, type, op, sequence, fingerprint, staging);
            return;
        }
        int ended;
        try {
            ended = own.run(in, out, count, type, op, fingerprint, tuner.plan(bytes), stage(staging, 0));
        } catch (RuntimeException | Error e) {
            // Otherwise the peers would wait for their deadline.
            throw failures.threw(e, sequence);
        }
        if (ended != Algorithm.DONE) {
            throw failures.failed(own, ended, sequence);
        }
    }

    private static Stage stage(Staging staging, int channel) {
        return staging == null ? null : staging.stage(channel);
    }

    private void shared(
            int shares,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint,
            Staging staging) {
        long share = Shares.share(count, shares);
        Plan plan = tuner.plan(share * type.bytes());
        for (int i = 1; i < shares; i++) {
            long start = share * i;
            long length = i == shares - 1 ? count - start : share;
            long offset = start * type.bytes();
            workers[i - 1].start(in + offset, out + offset, length, type, op, fingerprint, plan, stage(staging, i));
        }
        int ended = own.run(in, out, share, type, op, fingerprint, plan, stage(staging, 0));
        if (ended != Algorithm.DONE) {
            failures.note(own, ended, sequence);
        }
        joining.begin();
        for (int i = 1; i < shares; i++) {
            while (!workers[i - 1].finished()) {
                // A worker sees abort and deadline by itself; this wait only spares the core.
                joining.idle();
            }
        }
        for (int i = 1; i < shares; i++) {
            ChannelWorker worker = workers[i - 1];
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
