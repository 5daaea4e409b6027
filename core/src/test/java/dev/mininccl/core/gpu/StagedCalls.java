package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/** What a staged engine does, on the calling thread and ordinary memory. */
public interface StagedCalls extends AutoCloseable {

    /** One operation; false if the engine's thread ended before it did. */
    boolean allReduce(long in, long out, long count, DataType type, ReduceOp op);

    @Override
    void close();
}
