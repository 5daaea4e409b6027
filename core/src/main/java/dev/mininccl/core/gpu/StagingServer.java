package dev.mininccl.core.gpu;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.Staging;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.spi.Pinning;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Serves what is asked for through staging memory: one thread, which works as the first channel of the host engine. It ends with the
 * first operation that fails, since the communicator is broken then.
 */
public final class StagingServer implements AutoCloseable {

    /** About half a millisecond. */
    private static final int SPINS = 20_000;

    private static final long SHORT_NAP_NANOS = 50_000;
    private static final int SHORT_NAPS = 2_000;
    /** A graph that is replayed after a pause waits so long; calls do not, they wake the thread. */
    private static final long LONG_NAP_NANOS = 1_000_000;

    private static final long CLOSE_MILLIS = 3_000;

    private final Staging staging;
    private final Operations operations;
    private final Consumer<Throwable> broken;
    private final Thread thread;
    private volatile boolean closed;

    /** Runs operations of the communicator. */
    @FunctionalInterface
    public interface Operations {

        /**
         * Runs an operation on what passes through staging memory.
         *
         * @param collective which
         * @param staging where it does
         * @param count elements, 0 or more
         * @param type of the elements
         * @param op the reduction; {@code null} where nothing is reduced
         * @throws CommunicatorException if the communicator is, or was, broken, and all ranks know
         */
        void run(Collective collective, Staging staging, long count, DataType type, ReduceOp op);
    }

    /**
     * Starts the thread.
     *
     * @param name its name
     * @param processors on which it stays, if there are any
     * @param staging where operations are asked for
     * @param operations runs them
     * @param broken hears what went wrong if the communicator does not know
     */
    public StagingServer(
            String name, BitSet processors, Staging staging, Operations operations, Consumer<Throwable> broken) {
        this.staging = staging;
        this.operations = operations;
        this.broken = broken;
        thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            Pinning.pin(processors);
            serve();
        });
        thread.start();
    }

    /** An operation will be asked for soon. */
    public void wake() {
        LockSupport.unpark(thread);
    }

    private void serve() {
        int idle = 0;
        while (!closed) {
            if (!staging.requestedAcquire()) {
                idle = idle(idle);
                continue;
            }
            idle = 0;
            long code = staging.code();
            try {
                Collective collective = OperationCode.collective(code);
                operations.run(
                        collective,
                        staging,
                        OperationCode.count(code),
                        OperationCode.type(code),
                        collective.reduces() ? OperationCode.op(code) : null);
            } catch (CommunicatorException e) {
                return;
            } catch (RuntimeException | Error e) {
                broken.accept(e);
                return;
            }
            staging.servedRelease();
        }
    }

    private int idle(int turns) {
        if (turns < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(this, turns < SPINS + SHORT_NAPS ? SHORT_NAP_NANOS : LONG_NAP_NANOS);
        }
        return Math.min(turns + 1, SPINS + SHORT_NAPS);
    }

    /** Ends the thread when its operation has ended. Idempotent, bounded in time. */
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

    /**
     * Whether the thread may still use the staging memory.
     *
     * @return false once it has ended
     */
    public boolean running() {
        return thread.isAlive();
    }
}
