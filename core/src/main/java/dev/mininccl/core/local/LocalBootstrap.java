package dev.mininccl.core.local;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.util.List;

/** One rank of a {@link LocalJob}. */
record LocalBootstrap(LocalJob job, int rank, int size) implements Bootstrap {

    @Override
    public List<byte[]> allGather(byte[] mine, Deadline deadline) {
        return job.allGather(rank, mine, deadline);
    }

    @Override
    public void listen(Listener listener) {
        job.listen(rank, listener);
    }

    @Override
    public void abort(AbortReason reason) {
        job.abort(reason);
    }

    @Override
    public void reportMismatch(long sequence) {
        job.reportMismatch(rank, sequence);
    }

    @Override
    public void close() {
        job.leave(rank);
    }
}
