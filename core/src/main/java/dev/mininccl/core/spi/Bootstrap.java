package dev.mininccl.core.spi;

import java.util.List;

/**
 * The control plane as one rank sees it: who is there, a way to exchange small messages while connecting, and the
 * channel on which failures travel. Implementations are thread-safe.
 *
 * <p>The collective methods ({@link #allGather}, {@link #barrier}) are called by all ranks in the same order. When the
 * job has been aborted, or a deadline passes, they throw {@link dev.mininccl.core.NcclException}.
 */
public interface Bootstrap extends AutoCloseable {

    /**
     * This process's rank.
     *
     * @return 0 to {@code size() - 1}
     */
    int rank();

    /**
     * The number of ranks.
     *
     * @return at least 1
     */
    int size();

    /**
     * Gives every rank the bytes of every rank.
     *
     * @param mine this rank's contribution, at most 1 MiB; not retained
     * @param deadline when to give up
     * @return one array a rank, in rank order
     */
    List<byte[]> allGather(byte[] mine, Deadline deadline);

    /**
     * Returns once every rank has called it.
     *
     * @param deadline when to give up
     */
    default void barrier(Deadline deadline) {
        allGather(new byte[0], deadline);
    }

    /**
     * Sets who hears of failures. Called once, before the first operation; an abort that happened earlier is reported
     * at once.
     *
     * @param listener called on a control thread; must return quickly
     */
    void listen(Listener listener);

    /**
     * Aborts the job for all ranks. Returns without waiting for them; calls after the first have no effect. Listeners, this rank's
     * among them, hear of the first reason.
     *
     * @param reason what the other ranks' exceptions will say
     */
    void abort(AbortReason reason);

    /**
     * Reports that a neighbour's fingerprint for an operation differs from this rank's. The control plane asks every
     * rank what it called (see {@link Listener#describe}), and aborts all with a {@link AbortReason.Kind#MISMATCH} whose
     * message names who differs and how.
     *
     * @param sequence the operation's sequence number
     */
    void reportMismatch(long sequence);

    /** Leaves the job in order. Idempotent; bounded in time; never throws. */
    @Override
    void close();

    /** What the control plane tells, and asks, a rank. */
    interface Listener {

        /**
         * The job was aborted.
         *
         * @param reason the first reason
         */
        void aborted(AbortReason reason);

        /**
         * A rank has closed its communicator in order. Operations that need it can no longer complete; those it took part in
         * may still be on their way.
         *
         * @param rank the rank that left
         */
        default void left(int rank) {}

        /**
         * Says what this rank called as a given operation, for the message of a mismatch.
         *
         * @param sequence the operation's sequence number
         * @return for example {@code all_reduce of 1024 float32, sum}, or {@code null} where this rank has not called
         *     it yet or no longer knows
         */
        String describe(long sequence);
    }
}
