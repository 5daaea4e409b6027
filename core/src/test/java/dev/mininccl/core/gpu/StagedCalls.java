package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;

/** What a staged engine does, on the calling thread and ordinary memory. */
public interface StagedCalls extends AutoCloseable {

    /** One operation; false if the engine's thread ended before it did. */
    boolean run(Collective collective, long in, long out, long count, DataType type, ReduceOp op);

    default boolean allReduce(long in, long out, long count, DataType type, ReduceOp op) {
        return run(Collective.ALL_REDUCE, in, out, count, type, op);
    }

    @Override
    void close();
}
