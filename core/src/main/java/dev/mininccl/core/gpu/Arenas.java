package dev.mininccl.core.gpu;

/**
 * All ranks' arenas as one rank sees them: memory that every rank's kernels store to, each owned by the rank that reads it.
 * Closed after the last kernel has ended on every rank.
 */
interface Arenas extends AutoCloseable {

    /** By rank, the address that this rank's kernels use. */
    long[] deviceAddresses();

    /** Every rank has mapped every arena: names may go. */
    void settled();

    @Override
    void close();
}
