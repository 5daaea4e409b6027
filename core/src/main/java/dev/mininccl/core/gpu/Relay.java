package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;

/** Carries a rank's input to staging memory, where the host engine works on it, and the result back. */
interface Relay extends AutoCloseable {

    /** Enqueues an operation on valid arguments; {@code op} is {@code null} where nothing is reduced. The context must be current. */
    void run(Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream);

    /** The context must be current, and nothing under way. */
    @Override
    void close();
}
