package dev.mininccl.bench.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import dev.mininccl.core.spi.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Measures many plans a size and makes the best ones the table in use, the same on all ranks: what rank 0 found. */
final class Sweep {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final long[] SIZES = {
        8, K, 4 * K, 16 * K, 64 * K, 256 * K, 512 * K, M, 2 * M, 4 * M, 8 * M, 16 * M, 32 * M, 64 * M, 128 * M, 256 * M,
        1024L * M
    };
    private static final int SHOWN = 5;

    private Sweep() {}

    /** What follows the step's name: a type, and the only sizes to look at, which leaves the table in use as it is. */
    static void run(Rank rank, GpuEngine engine, GpuLane lane, String[] step) {
        DataType type = DataType.valueOf(step.length < 2 ? "FLOAT32" : step[1]);
        if (step.length > 2) {
            GpuTuner before = engine.tuner();
            for (String size : step[2].split(",", -1)) {
                best(rank, engine, lane, type, Long.parseLong(size));
            }
            engine.tune(before);
            return;
        }
        StringBuilder table = new StringBuilder();
        for (int i = 0; i < SIZES.length; i++) {
            KernelPlan best = best(rank, engine, lane, type, SIZES[i]);
            long limit = i + 1 == SIZES.length ? Long.MAX_VALUE : (SIZES[i] + SIZES[i + 1]) / 2;
            table.append(String.format(
                    "%d %s %d %d %d %d%n",
                    limit, best.family(), best.blocks(), best.threads(), best.extent(), best.depth()));
        }
        byte[] mine = table.toString().getBytes(StandardCharsets.UTF_8);
        byte[] first = rank.bootstrap
                .allGather(mine, Deadline.afterNanos(10_000_000_000L))
                .getFirst();
        String agreed = new String(first, StandardCharsets.UTF_8);
        rank.say("table for %s lane:%n%s", lane, agreed);
        engine.tune(GpuTuner.of(agreed));
    }

    private record Found(double micros, KernelPlan plan) {}

    private static KernelPlan best(Rank rank, GpuEngine engine, GpuLane lane, DataType type, long bytes) {
        Timer timer = new Timer(rank);
        List<Found> found = new ArrayList<>();
        for (KernelPlan plan : Plans.candidates(lane, bytes)) {
            if (engine.holds(plan, bytes)) {
                engine.tune(GpuTuner.fixed(plan));
                Runnable call = () -> engine.allReduce(
                        rank.input, rank.output, bytes / type.bytes(), type, ReduceOp.SUM, rank.stream);
                found.add(new Found(timer.graph(call, bytes, 3), plan));
            }
        }
        found.sort((a, b) -> Double.compare(a.micros, b.micros));
        StringBuilder line = new StringBuilder();
        found.stream().limit(SHOWN).forEach(f -> line.append(String.format("  %.2f %s;", f.micros, f.plan)));
        rank.say("sweep %s %11d B%s", type.label(), bytes, line);
        return found.getFirst().plan;
    }
}
