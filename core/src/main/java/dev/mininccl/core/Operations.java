package dev.mininccl.core;

import dev.mininccl.core.host.Staging;
import dev.mininccl.core.lane.Fingerprint;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Runs a communicator's operations one after the other, whichever threads call: numbers them, and hands them to the engine. */
final class Operations implements AutoCloseable {

    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int CLOSED = 2;
    /** Between two looks at who has the turn, where nobody is in a hurry. */
    private static final long TURN_NANOS = 100_000;

    /** Some tens of microseconds. */
    private static final int SPINS_FOR_TURN = 1000;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Operations.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Session session;
    private final int rank;
    private final int size;
    private final WorkQueue queue;

    @SuppressWarnings("UnusedVariable") // through STATE
    private volatile int state = FREE;

    private long sequence;

    /** Calls of the control plane under way. */
    private final AtomicInteger controlled = new AtomicInteger();

    private final AtomicBoolean closing = new AtomicBoolean();

    Operations(Session session) {
        this.session = session;
        this.rank = session.bootstrap.rank();
        this.size = session.bootstrap.size();
        this.queue = new WorkQueue("mininccl-work-" + rank);
    }

    /** The segments are those at the addresses, or {@code null} where the caller gave addresses only. */
    void blocking(
            Collective collective,
            MemorySegment input,
            MemorySegment output,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op) {
        if (queue.isEmpty() && STATE.compareAndSet(this, FREE, BUSY)) {
            try {
                run(collective, input, output, in, out, count, type, op);
            } finally {
                STATE.setRelease(this, FREE);
            }
        } else {
            requireOpen();
            queue.submit(() -> exclusively(collective, input, output, in, out, count, type, op))
                    .await();
        }
    }

    Work submitted(
            Collective collective,
            MemorySegment input,
            MemorySegment output,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op) {
        requireOpen();
        return queue.submit(() -> exclusively(collective, input, output, in, out, count, type, op));
    }

    /** On the queue's thread: waits for a blocking call of another thread to end. */
    private void exclusively(
            Collective collective,
            MemorySegment input,
            MemorySegment output,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op) {
        takeTurn();
        try {
            run(collective, input, output, in, out, count, type, op);
        } finally {
            STATE.setRelease(this, FREE);
        }
    }

    /** On a device's thread: an operation of that device. */
    void staged(Collective collective, Staging staging, long count, DataType type, ReduceOp op) {
        takeTurn();
        try {
            int opCode = code(op);
            long number = begin(collective, count, type, opCode);
            if (count > 0) {
                session.announcements.staged(staging.memory());
                long fingerprint = fingerprint(number, collective, count, type, opCode);
                session.engine.run(collective, staging, count, type, op, number, fingerprint);
            }
        } finally {
            STATE.setRelease(this, FREE);
        }
    }

    /**
     * On a device's way out: transports give back what they registered of its staging memory. False if an operation keeps them for
     * longer than closing may take.
     */
    boolean withdraw() {
        Deadline deadline = Deadline.after(session.settings.duration(Setting.CLOSE_TIMEOUT));
        while (!STATE.compareAndSet(this, FREE, BUSY)) {
            if (state == CLOSED) {
                return true; // the transports go with all they have
            }
            if (deadline.expired()) {
                return false;
            }
            LockSupport.parkNanos(TURN_NANOS);
        }
        try {
            session.announcements.withdraw();
        } finally {
            STATE.setRelease(this, FREE);
        }
        return true;
    }

    private void takeTurn() {
        for (int spins = 0; !STATE.compareAndSet(this, FREE, BUSY); spins++) {
            // A call that a full stack ended at an ill moment may never have given its turn back.
            requireWorking();
            if (spins < SPINS_FOR_TURN) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(TURN_NANOS);
            }
        }
    }

    private void run(
            Collective collective,
            MemorySegment input,
            MemorySegment output,
            long in,
            long out,
            long count,
            DataType type,
            ReduceOp op) {
        try {
            int opCode = code(op);
            long number = begin(collective, count, type, opCode);
            if (count > 0) {
                // Only an all-reduce sends from its output too.
                session.announcements.operation(
                        input,
                        collective == Collective.ALL_REDUCE ? output : null,
                        count * collective.inputs(size) * type.bytes());
                long fingerprint = fingerprint(number, collective, count, type, opCode);
                session.engine.run(collective, in, out, count, type, op, number, fingerprint);
            }
        } finally {
            // The engine works on addresses: without these the collector may free an automatic arena under it.
            Reference.reachabilityFence(input);
            Reference.reachabilityFence(output);
        }
    }

    /** Numbers an operation. */
    private long begin(Collective collective, long count, DataType type, int op) {
        long number = sequence + 1;
        if (session.flag.raisedAcquire()) {
            throw session.failures.exception(number);
        }
        sequence = number;
        session.log.record(number, collective, count, type, op);
        return number;
    }

    private long fingerprint(long number, Collective collective, long count, DataType type, int op) {
        return Fingerprint.of(session.id, number, collective.code(), type.code(), op, 0, count);
    }

    /** What stands for a reduction; for none the same as for a sum. */
    private static int code(ReduceOp op) {
        return op == null ? 0 : op.code();
    }

    void requireWorking() {
        requireOpen();
        if (session.flag.raisedAcquire()) {
            throw session.failures.exception(-1);
        }
    }

    private void requireOpen() {
        if (state == CLOSED) {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "the communicator is closed");
        }
    }

    /** Runs a call of the control plane beside the operations. */
    <T> T controlling(Supplier<T> call) {
        controlled.incrementAndGet();
        try {
            requireWorking();
            return call.get();
        } finally {
            controlled.decrementAndGet();
        }
    }

    /**
     * Waits for what is under way as long as {@code MINI_NCCL_CLOSE_TIMEOUT} allows, then aborts it. Bounded in time; only the first call
     * has an effect.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        session.closeDevices();
        Deadline deadline = Deadline.after(session.settings.duration(Setting.CLOSE_TIMEOUT));
        queue.close(deadline);
        boolean quiet = takeOver(deadline);
        if (!quiet) {
            session.failures.abort(new AbortReason(
                    AbortReason.Kind.CLOSED,
                    rank,
                    -1,
                    "rank " + rank + " aborted the communicator: it was closed while an operation was under way"));
            quiet = takeOver(Deadline.after(session.settings.duration(Setting.CLOSE_TIMEOUT)));
        }
        session.close(quiet);
    }

    /** Lets no operation begin any more once none is under way; false if one still is after the deadline. */
    private boolean takeOver(Deadline deadline) {
        while (!(state == CLOSED || STATE.compareAndSet(this, FREE, CLOSED)) || controlled.get() > 0) {
            if (deadline.expired()) {
                return false;
            }
            LockSupport.parkNanos(TURN_NANOS);
        }
        return true;
    }
}
