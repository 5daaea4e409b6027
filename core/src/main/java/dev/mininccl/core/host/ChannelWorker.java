package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.spi.Pinning;
import dev.mininccl.core.tuning.Plan;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;

/** The thread of a further channel: takes its share of a large operation, then spins for a moment and parks. */
final class ChannelWorker implements AutoCloseable {

    private static final int SPINS_BEFORE_PARK = 20_000;
    private static final long CLOSE_MILLIS = 2_000;

    private final Channel channel;
    private final Thread thread;

    // Written by the caller before `requested` is published, read by the worker after.
    private Collective collective;
    private long in;
    private long out;
    private long count;
    private long stride;
    private DataType type;
    private ReduceOp op;
    private long fingerprint;
    private Plan plan;
    private Stage stage;
    private int ended;
    private Throwable thrown;

    private long submitted;
    private volatile long requested;
    private volatile long finished;
    private volatile boolean closed;

    /** Its thread stays on the given processors, if there are any. */
    ChannelWorker(Channel channel, String name, BitSet processors) {
        this.channel = channel;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            Pinning.pin(processors);
            work();
        });
    }

    /** Starts the thread. */
    void launch() {
        thread.start();
    }

    Channel channel() {
        return channel;
    }

    /** Hands over a share; {@link #finished()} tells when it is done. */
    void start(
            Collective collective,
            long in,
            long out,
            long count,
            long stride,
            DataType type,
            ReduceOp op,
            long fingerprint,
            Plan plan,
            Stage stage) {
        this.collective = collective;
        this.in = in;
        this.out = out;
        this.count = count;
        this.stride = stride;
        this.type = type;
        this.op = op;
        this.fingerprint = fingerprint;
        this.plan = plan;
        this.stage = stage;
        // Written by the caller's thread alone.
        submitted++;
        requested = submitted;
        LockSupport.unpark(thread);
    }

    boolean finished() {
        return finished == requested;
    }

    /** How the share ended. */
    int ended() {
        return ended;
    }

    /** What the share threw, or {@code null}. */
    Throwable thrown() {
        return thrown;
    }

    private void work() {
        long done = 0;
        int idle = 0;
        while (!closed) {
            if (requested == done) {
                if (++idle < SPINS_BEFORE_PARK) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.park(this);
                }
                continue;
            }
            idle = 0;
            done++;
            try {
                thrown = null;
                ended = channel.run(collective, in, out, count, stride, type, op, fingerprint, plan, stage);
            } catch (RuntimeException | Error e) {
                thrown = e;
                ended = Algorithm.BROKEN;
            }
            finished = done;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
