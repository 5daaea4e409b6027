package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaModule;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.bindings.cuda.KernelParameters;
import dev.mininccl.bindings.cuda.PointerQuery;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;

/** What the host side of a call is made of, in nanoseconds, and how many bytes it allocates. */
final class Costs {
    private static final int TIMES = 20_000;

    private Costs() {}

    static void run(Rank rank, GpuEngine engine) {
        try (Arena arena = Arena.ofConfined()) {
            PointerQuery query = new PointerQuery(arena);
            Runnable call =
                    () -> engine.allReduce(rank.input, rank.output, 2, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            Runnable context = () -> {
                rank.context.enter();
                rank.context.leave();
            };
            for (int i = 0; i < 2; i++) {
                double ask = nanos(() -> query.ask(rank.input));
                double enter = nanos(context);
                double done = nanos(() -> CudaStream.done(rank.stream));
                rank.bootstrap.barrier();
                long before = allocated();
                double enqueue = nanos(call);
                long bytes = allocated() - before;
                CudaStream.synchronize(rank.stream);
                rank.say(
                        "cost in ns: pointer query %.0f, context in and out %.0f, stream query %.0f, all-reduce call %.0f (%.1f bytes a call)",
                        ask, enter, done, enqueue, (double) bytes / TIMES);
            }
        }
        blocking(rank, engine);
        parameters(rank);
    }

    /** What launching an empty kernel takes the host, by the size of its parameters. */
    private static void parameters(Rank rank) {
        StringBuilder line = new StringBuilder();
        for (int bytes : new int[] {8, 104, 152, 280, 8, 104, 152, 280}) {
            String ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty(.param .align 8 .b8 p["
                    + bytes + "]) { ret; }\n";
            try (CudaModule module = CudaModule.load(ptx);
                    Arena arena = Arena.ofConfined()) {
                CudaKernel kernel = module.kernel("empty");
                long parameters = new KernelParameters(bytes, arena).address();
                double each = nanos(() -> kernel.launch(1, 96, rank.stream, parameters));
                CudaStream.synchronize(rank.stream);
                line.append(String.format(" %d B %.0f;", bytes, each));
            }
        }
        rank.say("launch in ns by bytes of parameters:%s", line);
    }

    /** Two ways to wait for a small call. */
    private static void blocking(Rank rank, GpuEngine engine) {
        for (int i = 0; i < 3; i++) {
            rank.bootstrap.barrier();
            double sleep = nanos(() -> {
                engine.allReduce(rank.input, rank.output, 2, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
                CudaStream.synchronize(rank.stream);
            });
            rank.bootstrap.barrier();
            double spin = nanos(() -> {
                engine.allReduce(rank.input, rank.output, 2, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
                while (!CudaStream.done(rank.stream)) {
                    Thread.onSpinWait();
                }
            });
            rank.say("blocking 8 B: synchronize %.2f us, query %.2f us", sleep / 1e3, spin / 1e3);
        }
    }

    private static double nanos(Runnable work) {
        long start = System.nanoTime();
        for (int i = 0; i < TIMES; i++) {
            work.run();
        }
        return (double) (System.nanoTime() - start) / TIMES;
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
