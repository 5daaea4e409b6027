package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/** Carries a rank's input to staging memory, where the host engine reduces it, and the result back. */
interface Relay extends AutoCloseable {

    /** Enqueues an operation on valid arguments. The context must be current. */
    void allReduce(long input, long output, long count, DataType type, ReduceOp op, long stream);

    /** The context must be current, and nothing under way. */
    @Override
    void close();
}
