package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.core.DataType;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Checks of results with more than two ranks: {@code FILE LANE RANKS [STEPS]} for threads of one process, on all GPUs in turn, or {@code FILE
 * LANE RANKS RANK DEVICE} for one of several processes. STEPS is a list of {@code check[:EVERY[:FAMILY,...]]}
 * (one case in so many, of some kernels only), {@code stop}, {@code time[:TYPE]}, {@code parts} (checks of all-gather and reduce-scatter),
 * {@code timeparts} and {@code loads} (of kernels).
 */
public final class GpuRanks {
    private static final int CROWDED = 4;

    /** Sizes that follow one another at random go from kernel to kernel, some of which share their lines. */
    private static final String MIXED = """
            64 LL 1 64 0 0
            200 LL_TWOSHOT 1 64 0 0
            500 MESH 1 64 8 3
            800 LL128_TWOSHOT 2 64 0 0
            60000 LL 2 128 0 0
            120000 LL_TWOSHOT 3 128 0 0
            240000 LL128_TWOSHOT 4 128 0 0
            400000 RING 3 128 64 2
            500000 MESH 3 256 64 3
            9223372036854775807 MESH 4 256 128 3""";

    private GpuRanks() {}

    /**
     * Runs all ranks.
     *
     * @param args bootstrap file, lane, number of ranks; and steps, or the only rank to run and its device
     */
    public static void main(String[] args) {
        Path file = Path.of(args[0]);
        GpuLane lane = GpuLane.valueOf(args[1]);
        int ranks = Integer.parseInt(args[2]);
        CudaDriver.start();
        if (args.length > 4 && Character.isDigit(args[3].charAt(0))) {
            run(file, lane, Integer.parseInt(args[3]), ranks, Integer.parseInt(args[4]), CROWDED, Set.of());
            return;
        }
        List<String> steps = args.length > 3 ? List.of(args).subList(3, args.length) : List.of("check", "stop");
        Executor threads = task -> Thread.ofPlatform().daemon().start(task);
        CompletableFuture<?>[] all = new CompletableFuture<?>[ranks];
        CompletableFuture<Void> failed = new CompletableFuture<>();
        for (int r = 0; r < ranks; r++) {
            int me = r;
            all[r] =
                    CompletableFuture.runAsync(() -> steps.forEach(step -> step(step, file, lane, me, ranks)), threads);
            all[r].exceptionally(e -> {
                failed.completeExceptionally(e);
                return null;
            });
        }
        // The first failure ends the program: daemons do not hold it.
        CompletableFuture.anyOf(CompletableFuture.allOf(all), failed).join();
    }

    private static List<KernelPlan> plans(GpuLane lane, int ranks) {
        List<KernelPlan> plans = new ArrayList<>();
        plans.add(new KernelPlan(Family.LL, 2, 96, 0, 0));
        plans.add(new KernelPlan(Family.RING, 5, 128, 64, 2));
        plans.add(new KernelPlan(Family.LL_TWOSHOT, 2, 96, 0, 0));
        if (ranks == 2) {
            plans.add(new KernelPlan(Family.EXCHANGE, 6, 256, 64, 2));
        } else if (lane == GpuLane.PEER) {
            plans.add(new KernelPlan(Family.LL128_TWOSHOT, 3, 64, 0, 0));
            plans.add(new KernelPlan(Family.MESH, 3, 128, 64, 3));
            plans.add(new KernelPlan(Family.MESH, 2, 256, 8, 3));
        }
        return plans;
    }

    private static void step(String step, Path file, GpuLane lane, int me, int ranks) {
        int device = me % CudaDriver.deviceCount();
        Path own = Path.of(file + "." + step);
        String[] words = step.split(":", -1);
        switch (words[0]) {
            case "check" ->
                run(
                        own,
                        lane,
                        me,
                        ranks,
                        device,
                        words.length < 2 ? 1 : Integer.parseInt(words[1]),
                        words.length < 3 ? Set.of() : Set.of(words[2].split(",", -1)));
            case "stop" -> ManyStops.run(own, lane, me, ranks, device);
            case "parts" -> PartRanks.run(own, lane, me, ranks, device);
            case "loads" -> Loads.run(own, me, ranks, device);
            case "time" ->
                ManyTimes.run(own, me, ranks, device, DataType.valueOf(words.length < 2 ? "FLOAT32" : words[1]));
            case "timeparts" -> PartTimes.run(own, me, ranks, device);
            default -> throw new IllegalArgumentException(step);
        }
    }

    /** One case in {@code every}: processes that share a GPU wait for each other's time slices. Of some families only, if {@code only} says so. */
    private static void run(Path file, GpuLane lane, int me, int ranks, int device, int every, Set<String> only) {
        try (Rank rank = new Rank(file, me, ranks, device, 4 << 20);
                Arena arena = Arena.ofConfined()) {
            rank.bootstrap.barrier();
            GpuOptions options = GpuOptions.defaults().on(lane);
            try (GpuEngine engine =
                    GpuEngine.open(rank.bootstrap, device, options.inSteps(true), rank.bootstrap::abort)) {
                Checks checks = new Checks(rank, engine, arena);
                rank.say("%d ranks, stepwise", ranks);
                checks.plan(new KernelPlan(Family.RING, 1, 32, 1, 1), only.isEmpty() ? 9 * every : 100, 9);
                checks.sequence("stepwise", engine.tuner(), 200 / every, 200_000, 10);
            }
            try (GpuEngine engine = GpuEngine.open(rank.bootstrap, device, options, rank.bootstrap::abort)) {
                rank.say("%d ranks, %s", ranks, engine.explain());
                GpuTuner shipped = engine.tuner();
                Checks checks = new Checks(rank, engine, arena);
                for (KernelPlan plan : plans(lane, ranks)) {
                    if (only.isEmpty() || only.contains(plan.family().name())) {
                        checks.plan(plan, 3 * every, 1 + plan.blocks() + plan.threads());
                    }
                }
                if (lane == GpuLane.PEER && ranks > 2) {
                    checks.sequence("all kernels by turns", GpuTuner.of(MIXED), 4_000 / every, 200_000, 15);
                    checks.graph(GpuTuner.of(MIXED), Math.max(2, 10 / every), 16);
                }
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
