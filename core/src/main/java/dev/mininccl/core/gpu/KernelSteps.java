package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaKernel;

/** Steps that are a kernel each ({@code steps.cu}), ordered by the stream. The context must be current. */
final class KernelSteps implements Steps {
    private static final int BLOCKS = 16;
    private static final int THREADS = 512;

    /** Rounds enqueued at a time: a full queue would block the driver for every rank that shares the context. */
    private static final int ROUNDS = 4;

    private final CudaKernel copy;
    private final CudaKernel publish;
    private final CudaKernel wait;
    private final KernelArguments arguments;
    private final long[] roundEnds = new long[ROUNDS];
    private long rounds;
    private long stream;

    KernelSteps(KernelStore kernels, KernelArguments arguments) {
        this.arguments = arguments;
        copy = kernels.kernel("steps", "copy");
        publish = kernels.kernel("steps", "publish");
        wait = kernels.kernel("steps", "wait");
        for (int i = 0; i < ROUNDS; i++) {
            roundEnds[i] = CudaEvent.create(false);
        }
    }

    @Override
    public void on(long next) {
        stream = next;
    }

    @Override
    public void copy(long from, long to, long bytes) {
        arguments.operation(from, to, bytes, 0);
        copy.launch(BLOCKS, THREADS, stream, arguments.address());
    }

    @Override
    public void publish(long counter, long value) {
        arguments.registered(0, 0, counter).operation(0, 0, value, 0);
        publish.launch(1, 1, stream, arguments.address());
    }

    @Override
    public void await(long counter, long value) {
        arguments.registered(0, counter, 0).operation(0, 0, value, 0);
        wait.launch(1, 1, stream, arguments.address());
    }

    @Override
    public void endRound() {
        CudaEvent.record(roundEnds[(int) (rounds++ % ROUNDS)], stream);
        long oldest = roundEnds[(int) (rounds % ROUNDS)];
        while (!CudaEvent.done(oldest)) {
            Thread.yield();
        }
    }

    @Override
    public void close() {
        for (long roundEnd : roundEnds) {
            CudaEvent.destroy(roundEnd);
        }
    }
}
