package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.spi.AbortReason;
import java.lang.foreign.Arena;

/** What happens when ranks disagree, stay away, or are told to stop; and bad arguments. */
final class Stops {
    private Stops() {}

    static void run(Rank rank, GpuLane lane) throws Exception {
        int me = rank.bootstrap.rank();
        fails(
                rank,
                lane,
                "count differs",
                engine -> engine.allReduce(
                        rank.input, rank.output, 1000 + 24L * me, DataType.FLOAT32, ReduceOp.SUM, rank.stream));
        fails(
                rank,
                lane,
                "size class differs",
                engine -> engine.allReduce(
                        rank.input,
                        rank.output,
                        me == 0 ? 10 : 3_000_000,
                        DataType.FLOAT32,
                        ReduceOp.SUM,
                        rank.stream));
        fails(
                rank,
                lane,
                "operation differs",
                engine -> engine.allReduce(
                        rank.input,
                        rank.output,
                        4_000_000,
                        DataType.FLOAT32,
                        me == 0 ? ReduceOp.SUM : ReduceOp.MAX,
                        rank.stream));
        fails(rank, lane, "rank 1 stays away", engine -> {
            if (me == 0) {
                engine.allReduce(rank.input, rank.output, 1000, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            } else {
                engine.abort(new AbortReason(AbortReason.Kind.CLOSED, 1, -1, "stays away on purpose"));
            }
        });
        fails(rank, lane, "told to stop", engine -> {
            if (me == 0) {
                engine.allReduce(rank.input, rank.output, 100_000_000, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            }
            Thread.sleep(100);
            engine.abort(new AbortReason(AbortReason.Kind.PEER_LOST, 1, -1, "told to stop"));
        });
        staying(rank, lane);
        arguments(rank, lane);
    }

    /** The same while a kernel stays for blocking calls. */
    private static void staying(Rank rank, GpuLane lane) throws Exception {
        int me = rank.bootstrap.rank();
        fails(rank, lane, "staying, count differs", engine -> {
            blocking(rank, engine, 1000, 64);
            blocking(rank, engine, 1, 64 + me);
        });
        fails(rank, lane, "staying, rank 1 stays away", engine -> {
            blocking(rank, engine, 1000, 64);
            if (me == 0) {
                blocking(rank, engine, 1, 64);
            } else {
                engine.abort(new AbortReason(AbortReason.Kind.CLOSED, 1, -1, "stays away on purpose"));
            }
        });
        fails(rank, lane, "told to stop while it stays", engine -> {
            blocking(rank, engine, 1000, 64);
            if (me == 1) {
                Thread.sleep(100);
                engine.abort(new AbortReason(AbortReason.Kind.PEER_LOST, 1, -1, "told to stop"));
                return;
            }
            Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                engine.abort(new AbortReason(AbortReason.Kind.PEER_LOST, 1, -1, "told to stop"));
            });
            blocking(rank, engine, 1, 64);
        });
        GpuEngine engine =
                GpuEngine.open(rank.bootstrap, rank.bootstrap.rank(), GpuAllReduce.brief(lane), rank.bootstrap::abort);
        blocking(rank, engine, 1000, 64);
        long start = System.nanoTime();
        engine.close();
        rank.say("closed while it stays, after %.2f ms", (System.nanoTime() - start) / 1e6);
    }

    private static void blocking(Rank rank, GpuEngine engine, int calls, int count) {
        for (int i = 0; i < calls; i++) {
            engine.allReduce(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM);
        }
    }

    private interface Attempt {
        void on(GpuEngine engine) throws Exception;
    }

    private static void fails(Rank rank, GpuLane lane, String name, Attempt attempt) throws Exception {
        rank.bootstrap.barrier();
        GpuEngine engine =
                GpuEngine.open(rank.bootstrap, rank.bootstrap.rank(), GpuAllReduce.brief(lane), rank.bootstrap::abort);
        rank.bootstrap.barrier();
        String outcome;
        long start = System.nanoTime();
        try {
            attempt.on(engine);
            start = name.startsWith("told") ? start + 100_000_000L : start;
            engine.synchronize(rank.stream);
            outcome = "WRONG: no exception";
        } catch (NcclException e) {
            outcome = e.getMessage();
        }
        double millis = (System.nanoTime() - start) / 1e6;
        System.out.printf("stop: %s, rank %d after %.1f ms: %s%n", name, rank.bootstrap.rank(), millis, outcome);
        rank.bootstrap.barrier();
        engine.close();
    }

    private static void arguments(Rank rank, GpuLane lane) {
        GpuEngine engine =
                GpuEngine.open(rank.bootstrap, rank.bootstrap.rank(), GpuAllReduce.brief(lane), rank.bootstrap::abort);
        try (Arena arena = Arena.ofConfined()) {
            long host = arena.allocate(4096, 256).address();
            long pinned = CudaHostMemory.allocate(4096).address();
            refused(
                    rank,
                    "host memory",
                    () -> engine.allReduce(host, rank.output, 16, DataType.FLOAT32, ReduceOp.SUM, rank.stream));
            refused(
                    rank,
                    "too large",
                    () -> engine.allReduce(
                            rank.input, rank.output, rank.bytes, DataType.FLOAT32, ReduceOp.SUM, rank.stream));
            refused(
                    rank,
                    "misaligned",
                    () -> engine.allReduce(
                            rank.input + 2, rank.output, 16, DataType.FLOAT32, ReduceOp.SUM, rank.stream));
            refused(
                    rank,
                    "negative",
                    () -> engine.allReduce(rank.input, rank.output, -1, DataType.FLOAT32, ReduceOp.SUM, rank.stream));
            engine.allReduce(pinned, pinned, 1024, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            engine.synchronize(rank.stream);
            rank.say("pinned host memory: accepted and done");
            CudaHostMemory.free(pinned);
        }
        rank.bootstrap.barrier();
        engine.close();
    }

    private static void refused(Rank rank, String what, Runnable call) {
        try {
            call.run();
            rank.say("refused: %s: WRONG: accepted", what);
        } catch (InvalidCallException e) {
            rank.say("refused: %s: %s", what, e.getMessage());
        }
    }
}
