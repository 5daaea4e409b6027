package dev.mininccl.bench.gpu;

import dev.mininccl.bench.peers.Nccl;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.PartShape;
import java.util.ArrayList;
import java.util.List;

/** All-gather and reduce-scatter of two ranks: beside NCCL, and which form is best. Sizes are those of the larger buffer. */
final class Parts {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final long[] SIZES = {
        16, K, 16 * K, 64 * K, 256 * K, 512 * K, M, 4 * M, 16 * M, 64 * M, 256 * M, 1024L * M
    };
    private static final long[] SWEPT = {8 * K, 64 * K, 256 * K, 512 * K, M, 4 * M, 16 * M, 64 * M, 256 * M};
    private static final int SHOWN = 4;

    private Parts() {}

    private static Runnable ours(Rank rank, GpuEngine engine, DataType type, long count, boolean gathers) {
        return gathers
                ? () -> engine.allGather(rank.input, rank.output, count, type, rank.stream)
                : () -> engine.reduceScatter(rank.input, rank.output, count, type, ReduceOp.SUM, rank.stream);
    }

    static void compare(Rank rank, GpuEngine engine, Nccl nccl, DataType type) {
        Timer timer = new Timer(rank);
        for (boolean gathers : new boolean[] {true, false}) {
            rank.say(
                    "%s beside NCCL %s, %s, us a call (median), graph | stream, ours nccl ratio",
                    gathers ? "all_gather" : "reduce_scatter", nccl.version(), type.label());
            for (long bytes : SIZES) {
                long count = bytes / type.bytes() / rank.bootstrap.size();
                Runnable ours = ours(rank, engine, type, count, gathers);
                Runnable theirs = gathers
                        ? () -> nccl.allGather(rank.input, rank.output, count, type, rank.stream)
                        : () -> nccl.reduceScatter(rank.input, rank.output, count, type, ReduceOp.SUM, rank.stream);
                int rounds = bytes > 16 * M ? 3 : 5;
                double[] t = new double[4];
                for (int i = 0; i < (bytes > 4 * M ? 1 : 2); i++) { // of two, the first warms up
                    t[0] = timer.graph(ours, bytes, rounds);
                    t[1] = timer.graph(theirs, bytes, rounds);
                    t[2] = timer.stream(ours, bytes, rounds);
                    t[3] = timer.stream(theirs, bytes, rounds);
                }
                rank.say(
                        "%11d  %9.2f %9.2f %5.3f | %9.2f %9.2f %5.3f | %6.1f GB/s",
                        bytes, t[0], t[1], t[0] / t[1], t[2], t[3], t[2] / t[3], bytes / t[0] / 1e3);
            }
        }
    }

    private record Found(double micros, PartShape shape) {}

    /** Which forms are best. */
    static void sweep(Rank rank, GpuEngine engine) {
        Timer timer = new Timer(rank);
        for (boolean gathers : new boolean[] {true, false}) {
            for (long bytes : SWEPT) {
                long part = bytes / rank.bootstrap.size();
                Runnable call = ours(rank, engine, DataType.FLOAT32, part / 4, gathers);
                List<Found> found = new ArrayList<>();
                for (PartShape shape : candidates(part, gathers)) {
                    engine.shape(shape);
                    found.add(new Found(timer.graph(call, bytes, 3), shape));
                }
                engine.shape((PartShape) null);
                found.sort((a, b) -> Double.compare(a.micros, b.micros));
                StringBuilder line = new StringBuilder(String.format(" shipped %.2f;", timer.graph(call, bytes, 3)));
                found.stream()
                        .limit(SHOWN)
                        .forEach(f -> line.append(String.format(
                                " %.2f %s %d x %d, %d K;",
                                f.micros,
                                f.shape.lines() ? "lines" : "slots",
                                f.shape.blocks(),
                                f.shape.threads(),
                                f.shape.slotBytes() / K)));
                rank.say("sweep %s %11d B%s", gathers ? "all_gather    " : "reduce_scatter", bytes, line);
            }
        }
    }

    private static List<PartShape> candidates(long part, boolean gathers) {
        List<PartShape> all = new ArrayList<>();
        if (part <= 512 * K) {
            for (int threads : new int[] {64, 128, 256, 512}) {
                for (int blocks : new int[] {1, 4, 8, 16, 32, 64, 128}) {
                    if ((long) blocks * threads * 8 <= 2 * part + 4 * K) {
                        all.add(new PartShape(true, blocks, threads, 0));
                    }
                }
            }
        }
        for (int threads : new int[] {256, 512, gathers ? 1024 : 384}) {
            for (int channels : new int[] {8, 16, 32, 64}) {
                for (int slot : new int[] {4 * K, 8 * K, 16 * K, 32 * K, 64 * K, 128 * K}) {
                    if ((long) channels * slot <= 2 * part && part / channels / slot <= 512) {
                        all.add(new PartShape(false, 2 * channels, threads, slot));
                    }
                }
            }
        }
        return all;
    }
}
