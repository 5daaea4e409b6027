package dev.mininccl.core.gpu;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.spi.AbortReason;

/**
 * What a communicator asks of whatever reduces on its GPU. One thread at a time, but for {@link #stopped} and {@link #abort}; any
 * thread. Operations of all streams run in the order they were enqueued; a stream must outlive the call after its last one here.
 */
public interface DeviceEngine extends AutoCloseable {

    /**
     * Enqueues an operation. In place, the buffers of an all-reduce are the same, and the smaller one of another collective lies at this
     * rank's place in the larger one; otherwise they are apart.
     *
     * @param collective which
     * @param input device address
     * @param output device address
     * @param count elements, of a part where there are parts; 0 does nothing
     * @param type the element type
     * @param op the reduction; {@code null} where nothing is reduced
     * @param stream a stream of the device's primary context
     * @throws InvalidCallException if an argument is wrong; nothing was enqueued
     * @throws CommunicatorException if the communicator was aborted
     */
    void run(Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream);

    /**
     * Does the same, and returns when the result is there. The input must be complete, and what was captured of this communicator must
     * not be running.
     *
     * @param collective which
     * @param input device address
     * @param output device address
     * @param count elements, of a part where there are parts; 0 does nothing
     * @param type the element type
     * @param op the reduction; {@code null} where nothing is reduced
     * @throws InvalidCallException if an argument is wrong; nothing was done
     * @throws CommunicatorException if the communicator was aborted
     */
    default void run(Collective collective, long input, long output, long count, DataType type, ReduceOp op) {
        long byDefault = 0;
        run(collective, input, output, count, type, op, byDefault);
        synchronize(byDefault);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp, long)} of an all-reduce. */
    default void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream) {
        run(Collective.ALL_REDUCE, input, output, count, type, op, stream);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp)} of an all-reduce. */
    default void allReduce(long input, long output, long count, DataType type, ReduceOp op) {
        run(Collective.ALL_REDUCE, input, output, count, type, op);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp, long)} of an all-gather. */
    default void allGather(long send, long recv, long count, DataType type, long stream) {
        run(Collective.ALL_GATHER, send, recv, count, type, null, stream);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp)} of an all-gather. */
    default void allGather(long send, long recv, long count, DataType type) {
        run(Collective.ALL_GATHER, send, recv, count, type, null);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp, long)} of a reduce-scatter. */
    default void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream) {
        run(Collective.REDUCE_SCATTER, send, recv, count, type, op, stream);
    }

    /** {@link #run(Collective, long, long, long, DataType, ReduceOp)} of a reduce-scatter. */
    default void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op) {
        run(Collective.REDUCE_SCATTER, send, recv, count, type, op);
    }

    /**
     * Allocates device memory that every rank reaches directly; all ranks call it alike. Freed when the engine is closed.
     *
     * @param bytes the size, the same on all ranks
     * @return its address
     * @throws CommunicatorException if a rank cannot allocate or map it
     */
    long allocate(long bytes);

    /**
     * Waits for a stream, and looks whether its operations ended well.
     *
     * @param stream the stream
     * @throws CommunicatorException if the communicator was aborted
     */
    void synchronize(long stream);

    /**
     * Whether a kernel or the host has stopped this communicator; cheap, for a thread that watches.
     *
     * @return true once it is broken
     */
    boolean stopped();

    /**
     * Makes what is under way end and calls fail. Returns at once.
     *
     * @param reason what the exceptions will say
     */
    void abort(AbortReason reason);

    /**
     * A rank has closed its communicator in order: what it took part in may still be on its way, the rest cannot end. Returns at once.
     *
     * @param peer that rank
     */
    default void left(int peer) {}

    /**
     * Whether the host engine reduces, and data passes through pinned memory.
     *
     * @return false where kernels reduce
     */
    default boolean staged() {
        return false;
    }

    /**
     * Which way the data goes, and why no better one.
     *
     * @return one line
     */
    String explain();

    /** Ends it in any state; all ranks should have ended their operations. Idempotent, bounded in time. */
    @Override
    void close();
}
