package dev.mininccl.bench.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import java.nio.file.Path;

/**
 * Times of all-gather and reduce-scatter, in graphs, enqueued and waited for, without and with kernels that come before the last one has
 * left. Where ranks share a GPU: good to compare kernels, as {@link ManyTimes}.
 */
final class PartTimes {
    private static final long[] SIZES = {64, 16 << 10, 256 << 10, 512 << 10, 1 << 20, 16 << 20};
    private static final long LARGEST = 16 << 20;
    private static final long[] OVERLAPPING = {0, 33_792};
    private static final int ROUNDS = 3;

    private PartTimes() {}

    static void run(Path file, int me, int ranks, int device) {
        try (Rank rank = new Rank(file, me, ranks, device, LARGEST);
                GpuEngine engine = GpuEngine.open(
                        rank.bootstrap, device, GpuOptions.defaults().on(GpuLane.PEER), rank.bootstrap::abort)) {
            rank.say("%d ranks, us a call: graph, stream, blocking | the same with overlapping kernels", ranks);
            for (boolean gathers : new boolean[] {true, false}) {
                for (long bytes : SIZES) {
                    rank.say("%s %9d B%s", gathers ? "gather " : "scatter", bytes, times(rank, engine, gathers, bytes));
                }
            }
        }
    }

    private static String times(Rank rank, GpuEngine engine, boolean gathers, long bytes) {
        Timer timer = new Timer(rank);
        long count = bytes / 4 / rank.bootstrap.size();
        Runnable enqueue = gathers
                ? () -> engine.allGather(rank.input, rank.output, count, DataType.FLOAT32, rank.stream)
                : () -> engine.reduceScatter(
                        rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
        Runnable wait = gathers
                ? () -> engine.allGather(rank.input, rank.output, count, DataType.FLOAT32)
                : () -> engine.reduceScatter(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM);
        StringBuilder line = new StringBuilder();
        for (int round = 0; round < 2; round++) { // the first warms up
            line.setLength(0);
            for (long threads : OVERLAPPING) {
                rank.bootstrap.barrier();
                engine.overlapping(threads);
                line.append(String.format(
                        " | %8.2f %8.2f %8.2f",
                        timer.graph(enqueue, bytes, ROUNDS),
                        timer.stream(enqueue, bytes, ROUNDS),
                        timer.blocking(wait, bytes, ROUNDS)));
            }
        }
        return line.toString();
    }
}
