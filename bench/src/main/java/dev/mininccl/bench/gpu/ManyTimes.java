package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Times of the kernels for many ranks, in graphs. Where ranks share a GPU their grids run side by side, so blocks are few, and a part of
 * what they send stays on the device: good to compare kernels, not to tell what as many GPUs would do.
 */
final class ManyTimes {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    /** That certainly run side by side on a GPU. */
    private static final int BLOCKS = 128;

    private static final long LARGEST = 64L * M;
    private static final long[] SIZES = {
        8, 4 * K, 16 * K, 32 * K, 64 * K, 128 * K, 256 * K, 512 * K, M, 2 * M, 4 * M, 16 * M, LARGEST
    };

    private ManyTimes() {}

    static void run(Path file, int me, int ranks, int device, DataType type) {
        try (Rank rank = new Rank(file, me, ranks, device, LARGEST);
                GpuEngine engine = GpuEngine.open(
                        rank.bootstrap, device, GpuOptions.defaults().on(GpuLane.PEER), rank.bootstrap::abort)) {
            Timer timer = new Timer(rank);
            for (long bytes : SIZES) {
                StringBuilder line = new StringBuilder();
                for (KernelPlan plan : plans(engine, BLOCKS * CudaDriver.deviceCount() / ranks, bytes)) {
                    engine.tune(GpuTuner.fixed(plan));
                    double micros = timer.graph(
                            () -> engine.allReduce(
                                    rank.input, rank.output, bytes / type.bytes(), type, ReduceOp.SUM, rank.stream),
                            bytes,
                            3);
                    line.append(String.format("  %.2f %s;", micros, plan));
                }
                rank.say("time %d ranks, %s %9d B%s", ranks, type.label(), bytes, line);
            }
        }
    }

    private static List<KernelPlan> plans(GpuEngine engine, int blocks, long bytes) {
        Stream<KernelPlan> flags = Stream.of(
                new KernelPlan(Family.LL, 1, 256, 0, 0),
                new KernelPlan(Family.LL, 8, 256, 0, 0),
                new KernelPlan(Family.LL, 16, 512, 0, 0),
                new KernelPlan(Family.LL_TWOSHOT, 4, 128, 0, 0),
                new KernelPlan(Family.LL_TWOSHOT, 16, 128, 0, 0),
                new KernelPlan(Family.LL_TWOSHOT, 16, 512, 0, 0),
                new KernelPlan(Family.LL128_TWOSHOT, 16, 128, 0, 0),
                new KernelPlan(Family.LL128_TWOSHOT, 16, 256, 0, 0),
                new KernelPlan(Family.LL128_TWOSHOT, blocks, 128, 0, 0));
        Stream<KernelPlan> slots = Stream.of(
                new KernelPlan(Family.MESH, 16, 512, 512, 3),
                new KernelPlan(Family.MESH, blocks, 512, 1024, 3),
                new KernelPlan(Family.MESH, blocks, 512, 2048, 3),
                new KernelPlan(Family.RING, Math.min(32, blocks), 512, 8192, 4));
        return Stream.concat(
                        flags.filter(plan -> bytes <= 4L * M && (plan.blocks() == 1 || bytes >= 4 * K)),
                        slots.filter(plan -> bytes >= 64 * K))
                .filter(plan -> engine.holds(plan, bytes))
                .toList();
    }
}
