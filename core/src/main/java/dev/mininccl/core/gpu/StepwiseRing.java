package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;

/**
 * The ring in its plain form: a kernel for every step of every slice, ordered by the stream. Slow, but no two blocks need to
 * run at the same time, each part does one thing, and it is the one to compare the fused kernels with. The host counts the slots, so
 * it cannot be captured, and a call waits while more than a few rounds are under way.
 */
final class StepwiseRing {
    private static final int BLOCKS = 16;
    private static final int THREADS = 512;
    private static final int DEPTH = 4;
    private static final int PACK = 16;

    /** Rounds enqueued at a time: a full queue would block the driver for every rank that shares the context. */
    private static final int ROUNDS = 4;

    private final KernelStore kernels;
    private final CudaKernel wait;
    private final CudaKernel publish;
    private final CudaKernel agreement;
    private final CudaKernel copy;
    private final KernelArguments arguments;
    private final ArenaLayout layout;
    private final long[] arenas;
    private final int rank;
    private final int ranks;
    private final int next;
    private final int previous;
    private final long slotBytes;
    private final long[] roundEnds = new long[ROUNDS];
    private long rounds;
    private long sent;
    private long received;

    // The operation under way.
    private long input;
    private long output;
    private long count;
    private long code;
    private DataType type;
    private CudaKernel reduce;
    private long stream;

    StepwiseRing(KernelStore kernels, GpuLink link, int rank, long timeoutNanos, Arena memory) {
        this.kernels = kernels;
        this.rank = rank;
        layout = link.layout();
        arenas = link.arenas().deviceAddresses();
        arguments = link.arguments(rank, timeoutNanos, memory);
        ranks = arenas.length;
        next = (rank + 1) % ranks;
        previous = (rank + ranks - 1) % ranks;
        slotBytes = layout.bank(Family.RING) / DEPTH;
        wait = kernels.kernel("steps", "wait");
        publish = kernels.kernel("steps", "publish");
        agreement = kernels.kernel("steps", "agreement");
        copy = kernels.kernel("steps", "copy");
        for (int i = 0; i < ROUNDS; i++) {
            roundEnds[i] = CudaEvent.create(false);
        }
    }

    /** Enqueues all steps. */
    void allReduce(long from, long to, long elements, DataType elementType, ReduceOp op, long onStream) {
        input = from;
        output = to;
        count = elements;
        type = elementType;
        stream = onStream;
        reduce = kernels.kernel("reduce_" + type.name().toLowerCase(java.util.Locale.ROOT), "reduce_" + op.label());
        code = OperationCode.allReduce(type, op, count);
        arguments.operation(0, 0, 0, code);
        agreement.launch(1, 32, stream, arguments.address());
        long bytes = count * type.bytes();
        for (long done = 0; done < bytes; done += ranks * slotBytes) {
            long here = Math.min(bytes - done, ranks * slotBytes);
            long each = (here / ranks + PACK) / PACK * PACK;
            round(done, Math.min(each, slotBytes), done + here);
        }
    }

    /** One slice of each rank's chunk goes around twice: reduced, then complete. */
    private void round(long base, long each, long end) {
        long roundEnd = roundEnds[(int) (rounds++ % ROUNDS)];
        while (!CudaEvent.done(roundEnd)) {
            Thread.yield();
        }
        send(base, each, end, 1);
        for (int back = 2; back < ranks; back++) {
            reduceAndSend(base, each, end, back, false);
        }
        reduceAndSend(base, each, end, ranks, true);
        for (int back = 1; back < ranks - 1; back++) {
            store(base, each, end, back, true);
        }
        store(base, each, end, ranks - 1, false);
        CudaEvent.record(roundEnd, stream);
    }

    /** The context must be current, and nothing under way. */
    void close() {
        for (long roundEnd : roundEnds) {
            CudaEvent.destroy(roundEnd);
        }
    }

    private void send(long base, long each, long end, int back) {
        long at = start(base, each, end, back);
        awaitRoom();
        copy(slot(next, sent), input + at, length(at, each, end));
        published();
    }

    private void reduceAndSend(long base, long each, long end, int back, boolean complete) {
        long at = start(base, each, end, back);
        long bytes = length(at, each, end);
        awaitArrival();
        awaitRoom();
        if (bytes > 0) {
            long target = complete ? output + at : slot(next, sent);
            arguments.shape(complete ? 1 : 0, 0).operation(slot(rank, received), target, bytes / type.bytes(), 0);
            arguments.registered(0, input + at, 0);
            reduce.launch(BLOCKS, THREADS, stream, arguments.address());
        }
        if (complete) {
            copy(slot(next, sent), output + at, bytes);
        }
        published();
        consumed();
    }

    private void store(long base, long each, long end, int back, boolean forward) {
        long at = start(base, each, end, back);
        long bytes = length(at, each, end);
        awaitArrival();
        copy(output + at, slot(rank, received), bytes);
        if (forward) {
            awaitRoom();
            copy(slot(next, sent), slot(rank, received), bytes);
            published();
        }
        consumed();
    }

    private long start(long base, long each, long end, int back) {
        int chunk = (rank + 2 * ranks - back) % ranks;
        return Math.min(end, base + chunk * each);
    }

    private static long length(long at, long each, long end) {
        return Math.min(each, end - at);
    }

    private void copy(long to, long from, long bytes) {
        if (bytes > 0) {
            arguments.operation(from, to, bytes, 0);
            copy.launch(BLOCKS, THREADS, stream, arguments.address());
        }
    }

    private void awaitRoom() {
        await(layout.consumed(arenas[rank]), sent + 1 - DEPTH);
    }

    private void awaitArrival() {
        await(layout.published(arenas[rank]), received + 1);
    }

    private void await(long counter, long wanted) {
        arguments.registered(0, counter, 0).operation(0, 0, wanted, code);
        wait.launch(1, 1, stream, arguments.address());
    }

    private void published() {
        raise(layout.published(arenas[next]), ++sent);
    }

    private void consumed() {
        raise(layout.consumed(arenas[previous]), ++received);
    }

    private void raise(long counter, long value) {
        arguments.registered(0, 0, counter).operation(0, 0, value, 0);
        publish.launch(1, 1, stream, arguments.address());
    }

    private long slot(int at, long index) {
        return layout.stepwiseSlots(arenas[at]) + index % DEPTH * slotBytes;
    }
}
