package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.Family;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuLane;
import dev.mininccl.core.gpu.GpuOptions;
import dev.mininccl.core.gpu.KernelPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.SplittableRandom;

/** Checks of the kernel that stays: results, calls that come just as it leaves, and how long it keeps the device. */
final class Residents {
    private static final Duration LONG = Duration.ofMillis(50);
    private static final int LARGEST = 2048;
    /** Fewer where every access is looked at. */
    private static final boolean BRIEF = System.getenv("BRIEF") != null;

    private static final int CALLS = BRIEF ? 500 : 20_000;

    private Residents() {}

    static void run(Rank rank, GpuLane lane, Arena arena) {
        GpuOptions options = GpuOptions.defaults().on(lane);
        try (GpuEngine engine = open(rank, options.staying(LONG))) {
            Checks checks = new Checks(rank, engine, arena);
            checks.waiting();
            checks.plan(new KernelPlan(Family.LL2, 3, 128, 0, 0), BRIEF ? 31 : 1, 77);
            checks.sequence("blocking between stream calls", engine.tuner(), BRIEF ? 200 : 4_000, 60_000, 78);
            rank.say("served without a launch: %d", engine.servedByResident());
            rank.bootstrap.barrier();
        }
        try (GpuEngine engine = open(rank, options)) {
            hover(rank, engine);
            if (!BRIEF) {
                holds(rank, engine);
            }
            rank.bootstrap.barrier();
        }
    }

    private static GpuEngine open(Rank rank, GpuOptions options) {
        return GpuEngine.open(rank.bootstrap, rank.bootstrap.rank(), options, rank.bootstrap::abort);
    }

    /** Calls at about the pace at which it leaves, on pinned memory that the host fills and looks at itself. */
    private static void hover(Rank rank, GpuEngine engine) {
        MemorySegment in = CudaHostMemory.allocate(4L * LARGEST);
        MemorySegment out = CudaHostMemory.allocate(4L * LARGEST);
        SplittableRandom random = new SplittableRandom(5); // the same on all ranks
        int me = rank.bootstrap.rank();
        int wrong = 0;
        for (int call = 0; call < CALLS; call++) {
            int count = 1 + random.nextInt(random.nextInt(8) == 0 ? LARGEST : 64);
            for (int i = 0; i < count; i++) {
                in.setAtIndex(JAVA_INT, i, call * 7 + i * (me + 1));
            }
            long pause = random.nextInt(4) == 0 ? 0 : random.nextInt(170_000, 220_000);
            long start = System.nanoTime();
            while (System.nanoTime() - start < pause) {
                Thread.onSpinWait();
            }
            engine.allReduce(in.address(), out.address(), count, DataType.INT32, ReduceOp.SUM);
            for (int i = 0; i < count; i++) {
                wrong += out.getAtIndex(JAVA_INT, i) == call * 14 + i * 3 ? 0 : 1;
            }
        }
        System.out.printf(
                "rank %d: %d calls at about the idle limit, %d without a launch: %s%n",
                me, CALLS, engine.servedByResident(), wrong == 0 ? "right" : "WRONG: " + wrong);
        CudaHostMemory.free(in.address());
        CudaHostMemory.free(out.address());
    }

    /** How long somebody waits who wants the whole device: after a call, and while calls go on. */
    private static void holds(Rank rank, GpuEngine engine) {
        blocking(rank, engine, 1000);
        long start = System.nanoTime();
        rank.context.synchronize();
        double after = (System.nanoTime() - start) / 1e6;
        double[] during = new double[1];
        Thread other = Thread.ofPlatform().start(() -> {
            rank.context.enter();
            for (int i = 0; i < 20; i++) {
                long from = System.nanoTime();
                rank.context.synchronize();
                during[0] = Math.max(during[0], (System.nanoTime() - from) / 1e6);
            }
            rank.context.leave();
        });
        blocking(rank, engine, 30_000);
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        rank.say("cuCtxSynchronize: %.2f ms after a call, at most %.2f ms while calls go on", after, during[0]);
    }

    private static void blocking(Rank rank, GpuEngine engine, int calls) {
        for (int i = 0; i < calls; i++) {
            engine.allReduce(rank.input, rank.output, 100, DataType.FLOAT32, ReduceOp.SUM);
        }
    }
}
