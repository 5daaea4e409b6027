package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
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
 * Runs collectives on host memory. Small ones go over the caller's channel; large ones are shared among all channels, one
 * thread each. Used by one thread at a time.
 */
public final class HostEngine implements AutoCloseable {

    private final int rank;
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
        this.rank = rank;
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
        // All or none: this may be more threads than the system has left.
        try {
            for (ChannelWorker worker : workers) {
                worker.launch();
            }
        } catch (Error e) {
            close();
            throw e;
        }
    }

    /**
     * Runs an operation.
     *
     * @param collective which
     * @param in address of the input
     * @param out address of the output; what overlaps the input lies at the same place of the whole
     * @param count elements, at least 1; of one part where there are parts
     * @param type of the elements
     * @param op the reduction; {@code null} where nothing is reduced
     * @param sequence the operation's number
     * @param fingerprint of the operation
     */
    public void run(
            Collective collective,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint) {
        if (ranks == 1) {
            if (in != out) {
                NativeMemory.copy(in, out, count * type.bytes());
            }
            return;
        }
        long segment = Shares.segment(count, collective.parts(ranks) * type.bytes(), segmentBytes);
        for (long done = 0; done < count; done += segment) {
            long offset = done * type.bytes();
            long elements = Math.min(segment, count - done);
            segment(collective, in + offset, out + offset, elements, count, type, op, sequence, fingerprint, null);
        }
    }

    /**
     * Runs an operation on what passes through staging memory, where parts lie one after the other. Peers see no difference.
     *
     * @param collective which
     * @param staging in which this rank's input appears and the result is left
     * @param count elements, at least 1; of one part where there are parts
     * @param type of the elements
     * @param op the reduction; {@code null} where nothing is reduced
     * @param sequence the operation's number
     * @param fingerprint of the operation
     */
    public void run(
            Collective collective,
            Staging staging,
            long count,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint) {
        long segment = Shares.segment(count, collective.parts(ranks) * type.bytes(), segmentBytes);
        for (long done = 0; done < count; done += segment) {
            long whole = staging.next();
            long elements = Math.min(segment, count - done);
            long stride = Shares.stride(elements);
            long own = whole + rank * stride * type.bytes();
            long in = collective == Collective.ALL_GATHER ? own : whole;
            long out = collective == Collective.REDUCE_SCATTER ? own : whole;
            segment(collective, in, out, elements, stride, type, op, sequence, fingerprint, staging);
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
    private void segment(
            Collective collective,
            long in,
            long out,
            long count,
            long stride,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint,
            Staging staging) {
        long bytes = count * collective.parts(ranks) * type.bytes();
        int shares = Shares.channels(bytes, count, channels(), tuner.leastShare());
        if (shares > 1) {
            shared(shares, collective, in, out, count, stride, type, op, sequence, fingerprint, staging);
            return;
        }
        int ended;
        try {
            Plan plan = tuner.plan(bytes);
            ended = own.run(collective, in, out, count, stride, type, op, fingerprint, plan, stage(staging, 0));
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
            Collective collective,
            long in,
            long out,
            long count,
            long stride,
            DataType type,
            ReduceOp op,
            long sequence,
            long fingerprint,
            Staging staging) {
        long share = Shares.share(count, shares);
        Plan plan = tuner.plan(share * collective.parts(ranks) * type.bytes());
        for (int i = 1; i < shares; i++) {
            long start = share * i;
            long length = i == shares - 1 ? count - start : share;
            long offset = start * type.bytes();
            workers[i - 1].start(
                    collective,
                    in + offset,
                    out + offset,
                    length,
                    stride,
                    type,
                    op,
                    fingerprint,
                    plan,
                    stage(staging, i));
        }
        int ended;
        try {
            ended = own.run(collective, in, out, share, stride, type, op, fingerprint, plan, stage(staging, 0));
        } catch (RuntimeException | Error e) {
            RuntimeException failure = failures.threw(e, sequence);
            join(shares);
            throw failure;
        }
        if (ended != Algorithm.DONE) {
            failures.note(own, ended, sequence);
        }
        join(shares);
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

    /** Waits for the workers, which see abort and deadline by themselves: until they stop they use the caller's memory. */
    private void join(int shares) {
        joining.begin();
        for (int i = 1; i < shares; i++) {
            while (!workers[i - 1].finished()) {
                joining.idle();
            }
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
