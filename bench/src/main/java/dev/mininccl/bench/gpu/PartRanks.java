package dev.mininccl.bench.gpu;

import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.PartShape;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/** Checks of all-gather and reduce-scatter of several ranks, fused and in steps. */
final class PartRanks {
    private PartRanks() {}

    static void run(Path file, GpuLane lane, int me, int ranks, int device) {
        try (Rank rank = new Rank(file, me, ranks, device, 4 << 20);
                Arena arena = Arena.ofConfined()) {
            rank.bootstrap.barrier();
            GpuOptions options = GpuOptions.defaults().on(lane);
            try (GpuEngine engine = GpuEngine.open(rank.bootstrap, device, options, rank.bootstrap::abort)) {
                rank.say("%d ranks, %s", ranks, engine.explain());
                PartChecks checks = new PartChecks(rank, engine, arena);
                checks.shape(null, 11, 21);
                checks.shape(new PartShape(true, 3, 96, 0), 11, 22);
                checks.shape(new PartShape(false, 4, 256, 512), 11, 23);
                checks.sequence(1_000, 24);
                checks.graph(6, 25);
            }
            try (GpuEngine engine =
                    GpuEngine.open(rank.bootstrap, device, options.inSteps(true), rank.bootstrap::abort)) {
                PartChecks checks = new PartChecks(rank, engine, arena);
                rank.say("%d ranks, stepwise", ranks);
                checks.shape(null, 23, 11);
                checks.sequence(100, 12);
            }
        }
    }
}
