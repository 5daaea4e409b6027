package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.GpuTuner;
import dev.mininccl.core.gpu.KernelPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Compares every kernel with the reference: types, operations, counts, alignments, in place and out, then long random sequences. */
final class Checks {
    private static final int[] COUNTS = {1, 2, 3, 7, 17, 255, 1000, 4099, 30_011};
    private static final int LARGEST = 200_000;

    private final Rank rank;
    private final GpuEngine engine;
    private final int ranks;
    private final MemorySegment[] inputs;
    private final MemorySegment result;
    private int cases;
    private int failures;
    private boolean waiting;

    Checks(Rank rank, GpuEngine engine, Arena arena) {
        this.rank = rank;
        this.engine = engine;
        ranks = rank.bootstrap.size();
        inputs = new MemorySegment[ranks];
        for (int r = 0; r < ranks; r++) {
            inputs[r] = arena.allocate(8L * LARGEST, 64);
        }
        result = arena.allocate(8L * LARGEST, 64);
    }

    /** From now on by blocking calls on idle streams, in sequences now and then. */
    void waiting() {
        waiting = true;
    }

    private void call(long in, long out, int count, DataType type, ReduceOp op, boolean blocking) {
        if (blocking) {
            CudaStream.synchronize(rank.stream);
            engine.allReduce(in, out, count, type, op);
        } else {
            engine.allReduce(in, out, count, type, op, rank.stream);
        }
    }

    /** Every type, operation, count and alignment with one plan; {@code every} thins the cases out. */
    void plan(KernelPlan plan, int every, long seed) {
        engine.tune(GpuTuner.fixed(plan));
        int before = cases;
        int failed = failures;
        long start = System.nanoTime();
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (int count : COUNTS) {
                    if ((count + type.code() + op.code()) % every != 0
                            || !engine.holds(plan, (long) count * type.bytes())) {
                        continue;
                    }
                    int shift = (count + op.code()) % 4;
                    one(type, op, count, shift, (count + type.code()) % 3 == 0, seed++);
                    one(type, op, count, 0, (count + type.code()) % 2 == 0, seed++);
                }
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        rank.say("check %-34s %5d cases %5.1f s %s", plan, cases - before, seconds, verdict(failed));
    }

    /** Calls of random sizes back to back with one table, each result looked at every so often. */
    void sequence(String name, GpuTuner tuner, int calls, int most, long seed) {
        engine.tune(tuner);
        int failed = failures;
        SplittableRandom random = new SplittableRandom(seed);
        SplittableRandom own = new SplittableRandom(seed + 1 + rank.bootstrap.rank());
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            int count = 1 + random.nextInt(random.nextBoolean() ? 200 : most);
            if (i % 50 == 49) {
                one(DataType.FLOAT32, ReduceOp.SUM, count, random.nextInt(4), random.nextBoolean(), seed + i);
            } else {
                boolean blocking = waiting && own.nextInt(3) > 0;
                call(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, blocking);
            }
        }
        rank.say("check %-34s %5d calls %5.1f s %s", name, calls, (System.nanoTime() - start) / 1e9, verdict(failed));
    }

    /** A graph of a few calls, replayed between plain ones. */
    void graph(GpuTuner tuner, int replays, long seed) {
        engine.tune(tuner);
        int failed = failures;
        int[] counts = {100, 20_000, 3, 150_000};
        CudaGraph.begin(rank.stream);
        for (int count : counts) {
            engine.allReduce(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
        }
        try (CudaGraph graph = CudaGraph.end(rank.stream)) {
            for (int i = 0; i < replays; i++) {
                Sample sample = new Sample(DataType.FLOAT32, ReduceOp.SUM, ranks, counts[3], seed + i);
                load(sample, 0, 4L * counts[3]);
                CudaMemory.fillAsync(rank.output, (byte) 0xa5, 4L * counts[3], rank.stream);
                rank.bootstrap.barrier();
                graph.launch(rank.stream);
                look(sample, rank.output, 4L * counts[3], "graph replay " + i);
                one(DataType.FLOAT32, ReduceOp.SUM, 1 + 977 * i, i % 4, i % 2 == 0, seed + 7L * i);
            }
            CudaStream.synchronize(rank.stream);
        }
        rank.say("check %-34s %5d replays %s", "graph between plain calls", replays, verdict(failed));
    }

    private void load(Sample sample, long shift, long bytes) {
        for (int r = 0; r < ranks; r++) {
            sample.fill(r, inputs[r]);
        }
        CudaMemory.toDevice(rank.input + shift, inputs[rank.bootstrap.rank()].asSlice(0, bytes));
        CudaStream.synchronize(0); // a copy from ordinary memory may return before it has arrived
    }

    private void one(DataType type, ReduceOp op, int count, int shift, boolean inPlace, long seed) {
        Sample sample = new Sample(type, op, ranks, count, seed);
        long bytes = (long) count * type.bytes();
        long in = rank.input + (long) shift * type.bytes();
        load(sample, in - rank.input, bytes);
        long out = inPlace ? in : rank.output + (long) ((shift * 3) % 4) * type.bytes();
        if (!inPlace) {
            CudaMemory.fillAsync(out, (byte) 0xa5, bytes + 64, rank.stream);
        }
        call(in, out, count, type, op, waiting);
        look(
                sample,
                out,
                bytes,
                type + " " + op + " count " + count + " shift " + shift + (inPlace ? " in place" : "") + " seed "
                        + seed);
        if (!inPlace) {
            untouched(out + bytes, type + " " + op + " count " + count);
        }
    }

    private void look(Sample sample, long out, long bytes, String what) {
        cases++;
        engine.synchronize(rank.stream);
        CudaMemory.toHost(result.asSlice(0, bytes), out);
        String wrong = sample.wrong(result, inputs);
        if (!wrong.isEmpty() && failures++ < 20) {
            System.out.println("WRONG rank " + rank.bootstrap.rank() + " " + what + ": " + wrong);
        }
    }

    private void untouched(long at, String what) {
        MemorySegment after = result.asSlice(0, 64);
        CudaMemory.toHost(after, at);
        for (int i = 0; i < 64; i++) {
            if (after.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i) != (byte) 0xa5 && failures++ < 20) {
                System.out.println("WRONG rank " + rank.bootstrap.rank() + " " + what + ": wrote past the end");
                return;
            }
        }
    }

    private String verdict(int failedBefore) {
        return failures == failedBefore ? "right" : "WRONG: " + (failures - failedBefore);
    }

    int failures() {
        return failures;
    }
}
