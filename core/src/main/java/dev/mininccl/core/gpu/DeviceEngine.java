package dev.mininccl.core.gpu;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.spi.AbortReason;

/**
 * What a communicator asks of whatever reduces on its GPU. One thread at a time, but for {@link #stopped} and {@link #abort}; any
 * thread. Operations of all streams run in the order they were enqueued; a stream must outlive the call after its last one here.
 */
public interface DeviceEngine extends AutoCloseable {

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
    void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream);

    /**
     * Reduces, and returns when the result is there. The input must be complete, and what was captured of this communicator must not
     * be running.
     *
     * @param input device address
     * @param output device address, the same or apart
     * @param count elements; 0 does nothing
     * @param type the element type
     * @param op the reduction
     * @throws InvalidCallException if an argument is wrong; nothing was done
     * @throws CommunicatorException if the communicator was aborted
     */
    default void allReduce(long input, long output, long count, DataType type, ReduceOp op) {
        long byDefault = 0;
        allReduce(input, output, count, type, op, byDefault);
        synchronize(byDefault);
    }

    /**
     * Enqueues an all-gather.
     *
     * @param send device address
     * @param recv device address of a part for each rank; in place, {@code send} is this rank's
     * @param count elements of a part; 0 does nothing
     * @param type the element type
     * @param stream a stream of the device's primary context
     * @throws InvalidCallException if an argument is wrong; nothing was enqueued
     * @throws CommunicatorException if the communicator was aborted
     */
    void allGather(long send, long recv, long count, DataType type, long stream);

    /**
     * Enqueues a reduce-scatter.
     *
     * @param send device address of a part for each rank
     * @param recv device address; in place, this rank's part of {@code send}
     * @param count elements of a part; 0 does nothing
     * @param type the element type
     * @param op the reduction
     * @param stream a stream of the device's primary context
     * @throws InvalidCallException if an argument is wrong; nothing was enqueued
     * @throws CommunicatorException if the communicator was aborted
     */
    void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream);

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
