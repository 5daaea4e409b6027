package dev.mininccl.bench.gpu;

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

/** How long the first call of a kernel takes, which the driver compiles meanwhile: run it with {@code CUDA_CACHE_DISABLE=1}. */
final class Loads {
    private static final int COUNT = 3000;

    private Loads() {}

    static void run(Path file, int me, int ranks, int device) {
        try (Rank rank = new Rank(file, me, ranks, device, 1 << 20);
                GpuEngine engine = GpuEngine.open(
                        rank.bootstrap, device, GpuOptions.defaults().on(GpuLane.PEER), rank.bootstrap::abort)) {
            for (DataType type : List.of(DataType.FLOAT32, DataType.BFLOAT16, DataType.FLOAT8E4M3)) {
                StringBuilder line = new StringBuilder();
                for (KernelPlan plan : List.of(
                        new KernelPlan(Family.LL, 1, 64, 0, 0),
                        new KernelPlan(Family.LL_TWOSHOT, 1, 64, 0, 0),
                        new KernelPlan(Family.LL128_TWOSHOT, 1, 64, 0, 0),
                        new KernelPlan(Family.MESH, 1, 64, 8, 3),
                        new KernelPlan(Family.RING, 1, 64, 8, 2))) {
                    engine.tune(GpuTuner.fixed(plan));
                    rank.bootstrap.barrier();
                    long start = System.nanoTime();
                    engine.allReduce(rank.input, rank.output, COUNT, type, ReduceOp.MAX, rank.stream);
                    engine.synchronize(rank.stream);
                    line.append(String.format("  %s %.0f ms", plan.family(), (System.nanoTime() - start) / 1e6));
                }
                rank.say("first call %-12s%s", type, line);
            }
        }
    }
}
