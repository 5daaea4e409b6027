package dev.mininccl.bench.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;

/** What it gains that a kernel comes onto the device before the last one has left it: for none, for small ones, for all. */
final class Overlaps {
    private static final long[] THREADS = {0, 33_792, Long.MAX_VALUE};
    private static final long[] SIZES = {
        8, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 256 << 20
    };
    private static final int ROUNDS = 5;

    private Overlaps() {}

    static void run(Rank rank, GpuEngine engine) {
        rank.say("us a call, graph | stream | blocking, of none, small and all kernels that overlap");
        Timer timer = new Timer(rank);
        for (long bytes : SIZES) {
            Runnable call = () ->
                    engine.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            Runnable waiting =
                    () -> engine.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM);
            double[][] micros = new double[THREADS.length][];
            for (int round = 0; round < 2; round++) { // the first warms up
                for (int i = 0; i < THREADS.length; i++) {
                    rank.bootstrap.barrier();
                    engine.overlapping(THREADS[i]);
                    micros[i] = new double[] {
                        timer.graph(call, bytes, ROUNDS),
                        timer.stream(call, bytes, ROUNDS),
                        timer.blocking(waiting, bytes, ROUNDS)
                    };
                }
            }
            StringBuilder line = new StringBuilder(String.format("%11d", bytes));
            for (int kind = 0; kind < 3; kind++) {
                line.append(kind == 0 ? "" : " |");
                for (double[] one : micros) {
                    line.append(String.format(" %9.2f", one[kind]));
                }
            }
            rank.say("%s  %s", line, engine.plan(bytes));
        }
    }
}
