package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import dev.mininccl.core.gpu.ResidentShape;
import java.util.ArrayList;
import java.util.List;

/** Ways to wait for a small call, and shapes of the kernel that stays: median µs a blocking call. */
final class Waits {
    private static final int K = 1024;
    private static final int ROUNDS = 5;
    private static final int WARM_UP = 20_000;

    private Waits() {}

    static void run(Rank rank, GpuEngine engine) {
        GpuTuner shipped = engine.tuner();
        warmUp(rank, engine);
        for (int bytes : new int[] {8, K, 4 * K, 16 * K, 64 * K, 256 * K}) {
            engine.tune(shipped);
            StringBuilder line = new StringBuilder();
            Timer timer = new Timer(rank);
            Runnable call = () ->
                    engine.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            Runnable synchronize = () -> {
                call.run();
                CudaStream.synchronize(rank.stream);
            };
            Runnable query = () -> {
                call.run();
                while (!CudaStream.done(rank.stream)) {
                    Thread.onSpinWait();
                }
            };
            timer.blocking(synchronize, bytes, ROUNDS);
            line.append(String.format(" synchronize %.2f", timer.blocking(synchronize, bytes, ROUNDS)));
            line.append(String.format(", query %.2f |", timer.blocking(query, bytes, ROUNDS)));
            engine.tune(GpuTuner.fixed(new KernelPlan(Family.LL2, 64, 256, 0, 0)));
            Runnable stay = () -> engine.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM);
            long before = engine.servedByResident();
            for (ResidentShape shape : shapes(bytes)) {
                engine.shape(shape);
                timer.blocking(stay, bytes, 1);
                line.append(String.format(
                        " %dx%d/%d %.2f;",
                        shape.blocks(), shape.threads(), shape.wordsEach(), timer.blocking(stay, bytes, ROUNDS)));
            }
            rank.say("wait %7d B%s served %d", bytes, line, engine.servedByResident() - before);
        }
        engine.tune(shipped);
    }

    private static void warmUp(Rank rank, GpuEngine engine) {
        for (int i = 0; i < WARM_UP; i++) {
            engine.allReduce(rank.input, rank.output, 2, DataType.FLOAT32, ReduceOp.SUM);
        }
    }

    /** Only those that differ at this size. */
    private static List<ResidentShape> shapes(int bytes) {
        List<ResidentShape> shapes = new ArrayList<>();
        for (int threads : new int[] {256, 512, 992}) {
            for (int blocks : new int[] {1, 2, 4, 8, 16, 32}) {
                long words = bytes / 8;
                if (blocks == 1 || (words >= (long) threads * blocks && words <= 32L * threads * blocks)) {
                    int each = (int) Math.max(1, words / ((long) threads * blocks));
                    shapes.add(new ResidentShape(blocks, threads, each));
                }
            }
        }
        shapes.add(new ResidentShape(16, 512, 4));
        return shapes;
    }
}
