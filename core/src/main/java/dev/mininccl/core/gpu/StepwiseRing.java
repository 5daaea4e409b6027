package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;
import java.util.Locale;

/**
 * The ring in its plain form: a kernel for every step of every slice, ordered by the stream. Slow, but no two blocks need to
 * run at the same time, each part does one thing, and it is the one to compare the fused kernels with. The host counts the slots, so
 * it cannot be captured, and a call waits while more than a few rounds are under way.
 */
final class StepwiseRing {
    private static final int TYPES = DataType.values().length;
    private static final int OPS = ReduceOp.values().length;
    private static final int BLOCKS = 16;
    private static final int THREADS = 512;
    private static final int DEPTH = 4;
    private static final int PACK = 16;

    /** Rounds enqueued at a time: a full queue would block the driver for every rank that shares the context. */
    private static final int ROUNDS = 4;

    private final KernelStore kernels;
    private final CudaKernel[] reductions = new CudaKernel[TYPES * OPS];
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

    /** Enqueues all steps of an operation. */
    void run(
            Collective collective,
            long from,
            long to,
            long elements,
            DataType elementType,
            ReduceOp op,
            long onStream) {
        begin(elementType, op, OperationCode.of(collective, elementType, op, elements), onStream);
        switch (collective) {
            case ALL_REDUCE -> allReduce(from, to, elements);
            case ALL_GATHER -> allGather(from, to, elements);
            case REDUCE_SCATTER -> reduceScatter(from, to, elements);
        }
    }

    private void allReduce(long from, long to, long elements) {
        long bytes = elements * type.bytes();
        for (long done = 0; done < bytes; done += ranks * slotBytes) {
            long here = Math.min(bytes - done, ranks * slotBytes);
            long each = Math.min((here / ranks + PACK) / PACK * PACK, slotBytes);
            reduceRound(from + done, to + done, each, here);
        }
    }

    private void allGather(long from, long to, long elements) {
        long part = elements * type.bytes();
        for (long done = 0; done < part; done += slotBytes) {
            long here = Math.min(part - done, slotBytes);
            long roundEnd = nextRound();
            send(from + done, here);
            if (from != to + rank * part) {
                copy(to + rank * part + done, from + done, here);
            }
            for (int back = 1; back < ranks; back++) {
                store(to + chunk(back) * part + done, here, back < ranks - 1);
            }
            CudaEvent.record(roundEnd, stream);
        }
    }

    private void reduceScatter(long from, long to, long elements) {
        long part = elements * type.bytes();
        for (long done = 0; done < part; done += slotBytes) {
            long here = Math.min(part - done, slotBytes);
            long roundEnd = nextRound();
            send(from + chunk(1) * part + done, here);
            for (int back = 2; back < ranks; back++) {
                reduceAndSend(from + chunk(back) * part + done, here);
            }
            awaitArrival();
            reduceTo(to + done, from + rank * part + done, here, true);
            consumed();
            CudaEvent.record(roundEnd, stream);
        }
    }

    private void begin(DataType elementType, ReduceOp op, long operation, long onStream) {
        type = elementType;
        stream = onStream;
        code = operation;
        reduce = op == null ? null : reduction(type, op);
        arguments.operation(0, 0, 0, code);
        agreement.launch(1, 32, stream, arguments.address());
    }

    private CudaKernel reduction(DataType elements, ReduceOp op) {
        int index = elements.code() * OPS + op.code();
        if (reductions[index] == null) {
            reductions[index] =
                    kernels.kernel("reduce_" + elements.name().toLowerCase(Locale.ROOT), "reduce_" + op.label());
        }
        return reductions[index];
    }

    private long nextRound() {
        long roundEnd = roundEnds[(int) (rounds++ % ROUNDS)];
        while (!CudaEvent.done(roundEnd)) {
            Thread.yield();
        }
        return roundEnd;
    }

    /** One slice of each rank's chunk, of {@code each} bytes as far as there are so many, goes around twice: reduced, then complete. */
    private void reduceRound(long from, long to, long each, long end) {
        long roundEnd = nextRound();
        send(from + start(1, each, end), length(1, each, end));
        for (int back = 2; back < ranks; back++) {
            reduceAndSend(from + start(back, each, end), length(back, each, end));
        }
        reduceStoreAndSend(from + start(ranks, each, end), to + start(ranks, each, end), length(ranks, each, end));
        for (int back = 1; back < ranks; back++) {
            store(to + start(back, each, end), length(back, each, end), back < ranks - 1);
        }
        CudaEvent.record(roundEnd, stream);
    }

    /** The context must be current, and nothing under way. */
    void close() {
        for (long roundEnd : roundEnds) {
            CudaEvent.destroy(roundEnd);
        }
    }

    private void send(long from, long bytes) {
        awaitRoom();
        copy(slot(next, sent), from, bytes);
        published();
    }

    private void reduceAndSend(long from, long bytes) {
        awaitArrival();
        awaitRoom();
        reduceTo(slot(next, sent), from, bytes, false);
        published();
        consumed();
    }

    private void reduceStoreAndSend(long from, long to, long bytes) {
        awaitArrival();
        awaitRoom();
        reduceTo(to, from, bytes, true);
        copy(slot(next, sent), to, bytes);
        published();
        consumed();
    }

    /** What has arrived, reduced with this rank's own. */
    private void reduceTo(long to, long from, long bytes, boolean complete) {
        if (bytes > 0) {
            arguments.shape(complete ? 1 : 0, 0).operation(slot(rank, received), to, bytes / type.bytes(), 0);
            arguments.registered(0, from, 0);
            reduce.launch(BLOCKS, THREADS, stream, arguments.address());
        }
    }

    private void store(long to, long bytes, boolean forward) {
        awaitArrival();
        copy(to, slot(rank, received), bytes);
        if (forward) {
            awaitRoom();
            copy(slot(next, sent), slot(rank, received), bytes);
            published();
        }
        consumed();
    }

    /** The rank that is so many steps back. */
    private int chunk(int back) {
        return (rank + 2 * ranks - back) % ranks;
    }

    private long start(int back, long each, long end) {
        return Math.min(end, chunk(back) * each);
    }

    private long length(int back, long each, long end) {
        return Math.min(each, end - start(back, each, end));
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
