package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.Shares;
import dev.mininccl.core.schedule.Collective;

/** One kernel an operation, two blocks a channel, which keep step with the host engine by themselves ({@code relay.cu}). */
final class FusedRelay implements Relay {
    private static final int MOST_THREADS = 512;
    private static final int LEAST_THREADS = 64;

    private final CudaKernel kernel;
    private final int threads;
    private final KernelArguments arguments;
    private final long segmentBytes;
    private final int channels;
    private final int ranks;

    /** The arguments name the staging memory, its lines and the least share. */
    FusedRelay(CudaContext context, KernelArguments arguments, long segmentBytes, int channels, int ranks) {
        this.ranks = ranks;
        this.arguments = arguments;
        this.segmentBytes = segmentBytes;
        this.channels = channels;
        kernel = kernel(context);
        threads = threads(context, channels);
    }

    private static CudaKernel kernel(CudaContext context) {
        return KernelStore.of(context.device()).kernel("relay", "relay");
    }

    /** Threads of a block, as many as let all blocks run at the same time; 0 if none do. */
    static int threads(CudaContext context, int channels) {
        int count = MOST_THREADS;
        while (count >= LEAST_THREADS && atOnce(context, count) < 2 * channels) {
            count /= 2;
        }
        return count >= LEAST_THREADS ? count : 0;
    }

    private static int atOnce(CudaContext context, int threads) {
        return kernel(context).blocksPerMultiprocessor(threads)
                * context.device().multiprocessors();
    }

    @Override
    public void run(
            Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        arguments
                .ranks(ranks)
                .stride(count * type.bytes())
                .shape(type.bytes(), channels)
                .region(Shares.segment(count, collective.parts(ranks) * type.bytes(), segmentBytes), segmentBytes)
                .operation(input, output, count, OperationCode.of(collective, type, op, count));
        kernel.launch(2 * channels, threads, stream, arguments.address());
    }

    @Override
    public void close() {}
}
