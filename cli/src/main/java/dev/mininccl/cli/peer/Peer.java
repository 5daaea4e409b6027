package dev.mininccl.cli.peer;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/** Another library, joined and ready to be measured. Used by one thread. */
public interface Peer extends AutoCloseable {

    /**
     * Its release.
     *
     * @return for example {@code 2.28.9}
     */
    String version();

    /**
     * Whether it has a reduction.
     *
     * @param type of the elements
     * @param op the reduction; {@code SUM} where nothing is reduced
     * @return false if it knows one of both not
     */
    boolean supports(DataType type, ReduceOp op);

    /**
     * Reduces over all ranks. On host memory the result is there on return, on a GPU once the stream has come so far; calls may be
     * captured in a CUDA graph.
     *
     * @param input address of the input
     * @param output address of the output, the very input or apart from it
     * @param count elements
     * @param type of the elements
     * @param op the reduction
     * @param stream a {@code CUstream}; 0 on host memory
     * @throws IllegalStateException if the library reports a failure
     */
    void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream);

    /**
     * Gives everyone all inputs, as {@link #allReduce} does what it does.
     *
     * @param send address of the input
     * @param recv address of the output; in place, the input is this rank's part of it
     * @param count elements of each rank
     * @param type of the elements
     * @param stream a {@code CUstream}; 0 on host memory
     * @throws IllegalStateException if the library reports a failure
     */
    void allGather(long send, long recv, long count, DataType type, long stream);

    /**
     * Gives each rank its part of the reduction, as {@link #allReduce} does what it does.
     *
     * @param send address of the input
     * @param recv address of the output; in place, this rank's part of the input
     * @param count elements of each rank
     * @param type of the elements
     * @param op the reduction
     * @param stream a {@code CUstream}; 0 on host memory
     * @throws IllegalStateException if the library reports a failure
     */
    void reduceScatter(long send, long recv, long count, DataType type, ReduceOp op, long stream);

    /** Leaves the ranks. All of them call it. */
    @Override
    void close();
}
