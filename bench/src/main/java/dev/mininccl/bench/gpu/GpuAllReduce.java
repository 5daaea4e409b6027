package dev.mininccl.bench.gpu;

import dev.mininccl.bench.peers.Nccl;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import dev.mininccl.core.gpu.PartShape;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * One rank of two on two GPUs, one process a rank: {@code RANK FILE LANE STEPS}, where STEPS is a list of {@code check[:EVERY[:FAMILY]]}
 * (one case in so many; one family, or all and sequences), {@code compare[:TYPE[:BYTES,...]]} (beside NCCL),
 * {@code parts[:EVERY]}, {@code compareparts[:TYPE]} and {@code sweepparts} (the same for all-gather and reduce-scatter),
 * {@code sweep[:TYPE[:BYTES,...]]} (which plan is best), {@code overlaps} (of kernels that follow each other), {@code waits} (which way of
 * waiting), {@code resident} (checks of the kernel that stays), {@code cost} (of a call) and {@code stop} (abort, deadline,
 * disagreement).
 */
public final class GpuAllReduce {
    private static final int K = 1024;
    private static final int M = 1024 * K;
    private static final long[] SIZES = {
        8, 1024, 4 * K, 16 * K, 64 * K, 256 * K, M, 2 * M, 4 * M, 16 * M, 64 * M, 256 * M, 1024L * M
    };

    private GpuAllReduce() {}

    /**
     * Runs one rank.
     *
     * @param args rank, bootstrap file, lane, steps
     * @throws Throwable whatever fails
     */
    public static void main(String[] args) throws Throwable {
        int me = Integer.parseInt(args[0]);
        GpuLane lane = GpuLane.valueOf(args[2]);
        try (Rank rank = new Rank(Path.of(args[1]), me, 2, me, 1024L * M);
                Arena arena = Arena.ofConfined()) {
            CudaMemory.fill(rank.input, (byte) 1, rank.bytes);
            long start = System.nanoTime();
            GpuEngine engine =
                    GpuEngine.open(rank.bootstrap, me, GpuOptions.defaults().on(lane), rank.bootstrap::abort);
            rank.say("%s (set up in %.0f ms)", engine.explain(), (System.nanoTime() - start) / 1e6);
            for (int i = 3; i < args.length; i++) {
                String[] step = args[i].split(":", -1);
                switch (step[0]) {
                    case "check" -> check(rank, engine, lane, arena, step);
                    case "compare" -> compare(rank, engine, step);
                    case "parts" -> parts(rank, engine, arena, step.length < 2 ? 1 : Integer.parseInt(step[1]));
                    case "compareparts" ->
                        compareParts(rank, engine, DataType.valueOf(step.length < 2 ? "FLOAT32" : step[1]));
                    case "sweepparts" -> Parts.sweep(rank, engine);
                    case "sweep" -> Sweep.run(rank, engine, lane, step);
                    case "cost" -> Costs.run(rank, engine);
                    case "overlaps" -> Overlaps.run(rank, engine);
                    case "waits" -> Waits.run(rank, engine);
                    case "resident" -> Residents.run(rank, lane, arena);
                    case "stop" -> Stops.run(rank, lane);
                    default -> throw new IllegalArgumentException(args[i]);
                }
            }
            rank.bootstrap.barrier();
            engine.close();
        }
    }

    private static void check(Rank rank, GpuEngine engine, GpuLane lane, Arena arena, String[] step) {
        int every = step.length < 2 ? 1 : Integer.parseInt(step[1]);
        Family only = step.length < 3 ? null : Family.valueOf(step[2]);
        GpuTuner shipped = engine.tuner();
        Checks checks = new Checks(rank, engine, arena);
        long seed = 20261129;
        rank.say("seed %d", seed);
        for (KernelPlan plan : Plans.checked(lane)) {
            seed++;
            if (only == null || only == plan.family()) {
                checks.plan(plan, every, seed);
            }
        }
        if (only == null) {
            checks.sequence("shipped table", shipped, 10_000 / every, 200_000, seed + 1);
            checks.graph(shipped, 50 / every, seed + 2);
        }
        if (only == Family.TWOSHOT) {
            rank.input = engine.allocate(16L * M);
            rank.output = engine.allocate(16L * M);
            engine.directFrom(0);
            checks.plan(new KernelPlan(Family.TWOSHOT, 2, 512, 0, 0), every, seed);
            checks.sequence("symmetric memory", shipped, 10_000 / every, 200_000, seed + 1);
            engine.directFrom(Long.MAX_VALUE);
        }
        engine.tune(shipped);
        if (checks.failures() > 0) {
            System.out.println("rank " + rank.bootstrap.rank() + ": " + checks.failures() + " failures");
        }
    }

    private static void parts(Rank rank, GpuEngine engine, Arena arena, int every) {
        PartChecks checks = new PartChecks(rank, engine, arena);
        long seed = 20261130;
        checks.shape(null, every, seed);
        checks.shape(new PartShape(true, 3, 96, 0), every, seed + 1);
        checks.shape(new PartShape(false, 6, 256, 1024), every, seed + 2);
        checks.sequence(5_000 / every, seed + 3);
        checks.graph(50 / every, seed + 4);
        if (checks.failures() > 0) {
            System.out.println("rank " + rank.bootstrap.rank() + ": " + checks.failures() + " failures");
        }
    }

    private static void compareParts(Rank rank, GpuEngine engine, DataType type) {
        try (Nccl nccl = Nccl.join(rank.bootstrap.rank(), rank.bootstrap.size(), mine -> fromFirst(rank, mine))) {
            for (int i = 0; i < 5_000; i++) {
                engine.allGather(rank.input, rank.output, 2, type, rank.stream);
                nccl.allGather(rank.input, rank.output, 2, type, rank.stream);
                engine.reduceScatter(rank.input, rank.output, 2, type, ReduceOp.SUM, rank.stream);
                nccl.reduceScatter(rank.input, rank.output, 2, type, ReduceOp.SUM, rank.stream);
                if (i % 64 == 0) {
                    engine.synchronize(rank.stream);
                }
            }
            engine.synchronize(rank.stream);
            Parts.compare(rank, engine, nccl, type);
        }
    }

    /** Until Java's compiler has done with both paths. */
    private static void warmUp(Rank rank, GpuEngine engine, Nccl nccl, DataType type) {
        for (int i = 0; i < 30_000; i++) {
            engine.allReduce(rank.input, rank.output, 2, type, ReduceOp.SUM, rank.stream);
            nccl.allReduce(rank.input, rank.output, 2, type, ReduceOp.SUM, rank.stream);
            if (i % 64 == 0) {
                engine.synchronize(rank.stream);
            }
            if (i % 2 == 0) {
                engine.allReduce(rank.input, rank.output, 2, type, ReduceOp.SUM);
                engine.allReduce(rank.input, rank.output, 2, type, ReduceOp.SUM);
            }
        }
        engine.synchronize(rank.stream);
    }

    private static byte[] fromFirst(Rank rank, byte[] mine) {
        return rank.bootstrap
                .allGather(mine, Deadline.afterNanos(60_000_000_000L))
                .getFirst();
    }

    private static void compare(Rank rank, GpuEngine engine, String[] step) {
        DataType type = DataType.valueOf(step.length < 2 ? "FLOAT32" : step[1]);
        long[] sizes = step.length < 3
                ? SIZES
                : Arrays.stream(step[2].split(",", -1))
                        .mapToLong(Long::parseLong)
                        .toArray();
        try (Nccl nccl = Nccl.join(rank.bootstrap.rank(), rank.bootstrap.size(), mine -> fromFirst(rank, mine))) {
            rank.say(
                    "NCCL %s beside it, %s sum, us a call (median), graph | stream | blocking, ours nccl ratio",
                    nccl.version(), type.label());
            Timer timer = new Timer(rank);
            warmUp(rank, engine, nccl, type);
            for (long bytes : sizes) {
                long count = bytes / type.bytes();
                Runnable ours = () -> engine.allReduce(rank.input, rank.output, count, type, ReduceOp.SUM, rank.stream);
                Runnable theirs = () -> nccl.allReduce(rank.input, rank.output, count, type, ReduceOp.SUM, rank.stream);
                Runnable waiting = () -> engine.allReduce(rank.input, rank.output, count, type, ReduceOp.SUM);
                int rounds = bytes > 16 * M ? 3 : 5;
                double[] t = new double[6];
                for (int i = 0; i < (bytes > 4 * M ? 1 : 2); i++) { // of two, the first warms up
                    t[0] = timer.graph(ours, bytes, rounds);
                    t[1] = timer.graph(theirs, bytes, rounds);
                    t[2] = timer.stream(ours, bytes, rounds);
                    t[3] = timer.stream(theirs, bytes, rounds);
                    t[4] = timer.blocking(waiting, bytes, rounds);
                    t[5] = timer.blocking(
                            () -> {
                                theirs.run();
                                CudaStream.synchronize(rank.stream);
                            },
                            bytes,
                            rounds);
                }
                double best = Math.min(t[0], t[2]);
                rank.say(
                        "%11d  %9.2f %9.2f %5.3f | %9.2f %9.2f %5.3f | %9.2f %9.2f %5.3f | best %5.3f %6.1f GB/s  %s",
                        bytes,
                        t[0],
                        t[1],
                        t[0] / t[1],
                        t[2],
                        t[3],
                        t[2] / t[3],
                        t[4],
                        t[5],
                        t[4] / t[5],
                        best / Math.min(t[1], t[3]),
                        bytes / best / 1e3,
                        engine.plan(bytes));
            }
        }
    }

    static GpuOptions brief(GpuLane lane) {
        return GpuOptions.defaults().on(lane).within(Duration.ofSeconds(2));
    }
}
