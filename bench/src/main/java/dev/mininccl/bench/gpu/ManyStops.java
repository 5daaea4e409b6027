package dev.mininccl.bench.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import dev.mininccl.core.gpu.PartShape;
import dev.mininccl.core.spi.AbortReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Whether every kernel for many ranks ends when ranks disagree, stay away, or are told to stop. */
final class ManyStops {
    private static final Duration DEADLINE = Duration.ofMillis(300);
    /** The largest that all of these take at once, in LL's lines. */
    private static final int COUNT = 25_000;

    private ManyStops() {}

    static void run(Path file, GpuLane lane, int me, int ranks, int device) {
        try (Rank rank = new Rank(file, me, ranks, device, 4 << 20)) {
            for (Kernel kernel : kernels(rank, lane, ranks)) {
                attempt(
                        rank,
                        lane,
                        device,
                        kernel,
                        "count differs on the last rank",
                        engine -> kernel.call.on(engine, me == ranks - 1 ? COUNT + 2 : COUNT));
                attempt(rank, lane, device, kernel, "the last rank stays away", engine -> {
                    if (me < ranks - 1) {
                        kernel.call.on(engine, COUNT);
                    } else {
                        engine.abort(new AbortReason(AbortReason.Kind.CLOSED, me, -1, "stays away on purpose"));
                    }
                });
                attempt(rank, lane, device, kernel, "told to stop", engine -> {
                    if (me < ranks - 1) {
                        kernel.call.on(engine, COUNT);
                    }
                    pause(50);
                    engine.abort(new AbortReason(AbortReason.Kind.PEER_LOST, ranks - 1, -1, "told to stop"));
                });
            }
        }
    }

    private interface Call {
        void on(GpuEngine engine, int count);
    }

    private record Kernel(String name, Consumer<GpuEngine> choose, Call call) {}

    private static List<Kernel> kernels(Rank rank, GpuLane lane, int ranks) {
        List<Kernel> kernels = new ArrayList<>();
        for (KernelPlan plan : plans(lane, ranks)) {
            kernels.add(new Kernel(
                    plan.toString(),
                    engine -> engine.tune(GpuTuner.fixed(plan)),
                    (engine, count) -> engine.allReduce(
                            rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream)));
        }
        for (PartShape shape : List.of(new PartShape(true, 4, 128, 0), new PartShape(false, 4, 128, 1024))) {
            String form = shape.lines() ? "lines" : "slots";
            kernels.add(new Kernel(
                    "gather by " + form,
                    engine -> engine.shape(shape),
                    (engine, count) ->
                            engine.allGather(rank.input, rank.output, count, DataType.FLOAT32, rank.stream)));
            kernels.add(new Kernel(
                    "scatter by " + form,
                    engine -> engine.shape(shape),
                    (engine, count) -> engine.reduceScatter(
                            rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream)));
        }
        return kernels;
    }

    private static List<KernelPlan> plans(GpuLane lane, int ranks) {
        List<KernelPlan> flags = List.of(
                new KernelPlan(Family.LL_TWOSHOT, 4, 128, 0, 0),
                new KernelPlan(Family.LL, 4, 128, 0, 0),
                new KernelPlan(Family.RING, 2, 128, 64, 2));
        return lane == GpuLane.HOST || ranks == 2
                ? flags
                : List.of(
                        flags.get(0),
                        flags.get(1),
                        flags.get(2),
                        new KernelPlan(Family.LL128_TWOSHOT, 4, 128, 0, 0),
                        new KernelPlan(Family.MESH, 4, 128, 128, 3));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Attempt {
        void on(GpuEngine engine);
    }

    private static void attempt(Rank rank, GpuLane lane, int device, Kernel kernel, String name, Attempt attempt) {
        rank.bootstrap.barrier();
        GpuOptions options = GpuOptions.defaults().on(lane).within(DEADLINE);
        GpuEngine engine = GpuEngine.open(rank.bootstrap, device, options, rank.bootstrap::abort);
        kernel.choose.accept(engine);
        rank.bootstrap.barrier();
        long start = System.nanoTime();
        String outcome = "no exception";
        try {
            attempt.on(engine);
            engine.synchronize(rank.stream);
        } catch (NcclException e) {
            outcome = e.getMessage();
        }
        double millis = (System.nanoTime() - start) / 1e6;
        boolean wrong = outcome.equals("no exception") || millis > 2 * DEADLINE.toMillis();
        if (rank.first() || wrong) {
            System.out.printf(
                    "stop %s: %s, rank %d after %.1f ms: %s%s%n",
                    kernel.name, name, rank.bootstrap.rank(), millis, wrong ? "WRONG: " : "", outcome);
        }
        rank.bootstrap.barrier();
        engine.close();
    }
}
