package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Checks of results with more than two ranks: {@code FILE LANE RANKS} for threads of one process, on all GPUs in turn, or {@code FILE LANE
 * RANKS RANK DEVICE} for one of several processes.
 */
public final class GpuRanks {
    private static final int CROWDED = 4;

    private GpuRanks() {}

    /**
     * Runs all ranks.
     *
     * @param args bootstrap file, lane, number of ranks; and the only rank to run, and its device
     */
    public static void main(String[] args) {
        Path file = Path.of(args[0]);
        GpuLane lane = GpuLane.valueOf(args[1]);
        int ranks = Integer.parseInt(args[2]);
        CudaDriver.start();
        if (args.length > 3) {
            run(file, lane, Integer.parseInt(args[3]), ranks, Integer.parseInt(args[4]), CROWDED);
            return;
        }
        Executor threads = task -> Thread.ofPlatform().daemon().start(task);
        CompletableFuture<?>[] all = new CompletableFuture<?>[ranks];
        CompletableFuture<Void> failed = new CompletableFuture<>();
        for (int r = 0; r < ranks; r++) {
            int me = r;
            all[r] = CompletableFuture.runAsync(
                    () -> run(file, lane, me, ranks, me % CudaDriver.deviceCount(), 1), threads);
            all[r].exceptionally(e -> {
                failed.completeExceptionally(e);
                return null;
            });
        }
        // The first failure ends the program: daemons do not hold it.
        CompletableFuture.anyOf(CompletableFuture.allOf(all), failed).join();
    }

    /** One case in {@code every}: processes that share a GPU wait for each other's time slices. */
    private static void run(Path file, GpuLane lane, int me, int ranks, int device, int every) {
        try (Rank rank = new Rank(file, me, ranks, device, 4 << 20);
                Arena arena = Arena.ofConfined()) {
            rank.bootstrap.barrier();
            GpuOptions options = GpuOptions.defaults().on(lane);
            try (GpuEngine engine =
                    GpuEngine.open(rank.bootstrap, device, options.inSteps(true), rank.bootstrap::abort)) {
                Checks checks = new Checks(rank, engine, arena);
                rank.say("%d ranks, stepwise", ranks);
                checks.plan(new KernelPlan(Family.RING, 1, 32, 1, 1), 9 * every, 9);
                checks.sequence("stepwise", engine.tuner(), 200 / every, 200_000, 10);
            }
            try (GpuEngine engine = GpuEngine.open(rank.bootstrap, device, options, rank.bootstrap::abort)) {
                rank.say("%d ranks, %s", ranks, engine.explain());
                GpuTuner shipped = engine.tuner();
                Checks checks = new Checks(rank, engine, arena);
                if (ranks == 2) {
                    checks.plan(new KernelPlan(Family.EXCHANGE, 6, 256, 64, 2), 7 * every, 1);
                }
                checks.plan(new KernelPlan(Family.LL, 2, 96, 0, 0), 3 * every, 2);
                checks.plan(new KernelPlan(Family.RING, 3, 128, 64, 2), 3 * every, 3);
                checks.sequence("shipped table", shipped, 2_000 / every, 200_000, 4);
                checks.graph(shipped, Math.max(2, 10 / every), 5);
                if (lane == GpuLane.PEER) {
                    rank.input = engine.allocate(rank.bytes);
                    rank.output = engine.allocate(rank.bytes);
                    engine.directFrom(0);
                    checks.plan(new KernelPlan(Family.TWOSHOT, 2, 512, 0, 0), 3 * every, 6);
                    checks.sequence("symmetric memory", shipped, 2_000 / every, 200_000, 7);
                    checks.graph(shipped, Math.max(2, 10 / every), 8);
                }
            }
        }
    }
}
