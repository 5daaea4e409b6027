package dev.mininccl.core.spi;

/** The two lanes between this rank and one peer on one channel. Used by one thread at a time. */
public interface Link extends AutoCloseable {

    /**
     * The lane to the peer.
     *
     * @return the same object each time
     */
    SendLane send();

    /**
     * The lane from the peer.
     *
     * @return the same object each time
     */
    ReceiveLane receive();

    /**
     * One line for {@code explain()}: medium, slots, what was proven. For example
     * {@code /dev/shm, 4 slots of 65536 B, single-copy reads (process_vm_readv) proven}.
     *
     * @return without a line break
     */
    String description();

    /** Idempotent, from any state, bounded in time, never throws. */
    @Override
    void close();
}
