package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.gpu.GpuEngine;
import dev.mininccl.core.gpu.PartShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Compares all-gather and reduce-scatter with the reference: types, operations, counts, alignments, in place and out, enqueued and
 * waited for, then random sequences between all-reduces, and graphs.
 */
final class PartChecks {
    private static final int[] COUNTS = {1, 2, 3, 7, 17, 255, 1000, 4099, 30_011};
    private static final int LARGEST = 30_011;
    private static final int GUARD = 64;
    private static final byte POISON = (byte) 0xa5;

    private final Rank rank;
    private final GpuEngine engine;
    private final int me;
    private final int ranks;
    private final MemorySegment[] inputs;
    private final MemorySegment result;
    private int cases;
    private int failures;

    PartChecks(Rank rank, GpuEngine engine, Arena arena) {
        this.rank = rank;
        this.engine = engine;
        me = rank.bootstrap.rank();
        ranks = rank.bootstrap.size();
        inputs = new MemorySegment[ranks];
        for (int r = 0; r < ranks; r++) {
            inputs[r] = arena.allocate(8L * LARGEST * ranks, 64);
        }
        result = arena.allocate(8L * LARGEST * ranks + GUARD, 64);
    }

    /** Every type, operation, count and alignment in one form, or as shipped; {@code every} thins the cases out. */
    void shape(PartShape shape, int every, long seed) {
        engine.shape(shape);
        int before = cases;
        int failed = failures;
        long start = System.nanoTime();
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (int count : COUNTS) {
                    if ((count + type.code() + op.code()) % every == 0) {
                        int shift = (count + op.code()) % 4;
                        scatter(type, op, count, shift, (count + type.code()) % 3 == 0, seed++);
                        scatter(type, op, count, 0, (count + type.code()) % 2 == 0, seed++);
                        if (op.code() < 2) {
                            gather(type, count, shift, (count + type.code()) % 3 == 0, seed++);
                            gather(type, count, 0, (count + type.code()) % 2 == 0, seed++);
                        }
                    }
                }
            }
        }
        engine.shape((PartShape) null);
        String name = shape == null ? "shipped" : shape.toString();
        rank.say(
                "parts %-55s %5d cases %5.1f s %s",
                name, cases - before, (System.nanoTime() - start) / 1e9, verdict(failed));
    }

    /** Calls of all kinds and random sizes back to back, each result looked at every so often. */
    void sequence(int calls, long seed) {
        int failed = failures;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < calls; i++) {
            int count = 1 + random.nextInt(random.nextBoolean() ? 200 : LARGEST);
            int kind = random.nextInt(5);
            if (i % 50 >= 48) {
                if (i % 2 == 0) {
                    scatter(DataType.FLOAT32, ReduceOp.SUM, count, random.nextInt(4), random.nextBoolean(), seed + i);
                } else {
                    gather(DataType.FLOAT32, count, random.nextInt(4), random.nextBoolean(), seed + i);
                }
            } else if (kind == 0) {
                engine.allReduce(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            } else if (kind == 1) {
                engine.allGather(rank.input, rank.output, count, DataType.FLOAT32, rank.stream);
            } else if (kind == 2) {
                engine.reduceScatter(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
            } else if (kind == 3) {
                engine.allGather(rank.input, rank.output, count, DataType.FLOAT32);
            } else {
                engine.reduceScatter(rank.input, rank.output, count, DataType.FLOAT32, ReduceOp.SUM);
            }
        }
        rank.say("parts and all-reduces in turn %5d calls %s", calls, verdict(failed));
    }

    /** A graph of both, replayed between plain calls: what one gathers the next one sums. */
    void graph(int replays, long seed) {
        int failed = failures;
        int[] counts = {100, 20_000};
        CudaGraph.begin(rank.stream);
        for (int count : counts) {
            engine.allGather(rank.input, rank.output, count, DataType.INT32, rank.stream);
            engine.reduceScatter(rank.output, rank.input, count, DataType.INT32, ReduceOp.SUM, rank.stream);
        }
        try (CudaGraph graph = CudaGraph.end(rank.stream)) {
            for (int i = 0; i < replays; i++) {
                MemorySegment mine = inputs[me].asSlice(0, 4L * counts[1]);
                for (int k = 0; k < counts[1]; k++) {
                    mine.setAtIndex(ValueLayout.JAVA_INT, k, (int) (seed + i) * (k + 1) * (me + 1));
                }
                CudaMemory.toDevice(rank.input, mine);
                CudaStream.synchronize(0);
                graph.launch(rank.stream);
                engine.synchronize(rank.stream);
                CudaMemory.toHost(result.asSlice(0, mine.byteSize()), rank.input);
                for (int k = 0; k < counts[1]; k++) {
                    // The first ones went through both pairs of calls.
                    int expected = mine.getAtIndex(ValueLayout.JAVA_INT, k) * ranks * (k < counts[0] ? ranks : 1);
                    int got = result.getAtIndex(ValueLayout.JAVA_INT, k);
                    if (expected != got) {
                        fail("graph replay " + i + ": element " + k + ": " + got + " in place of " + expected);
                        break;
                    }
                }
                scatter(DataType.BFLOAT16, ReduceOp.MAX, 1 + 977 * i % LARGEST, i % 4, i % 2 == 0, seed + 7L * i);
            }
        }
        rank.say("parts in a graph %5d replays %s", replays, verdict(failed));
    }

    private void gather(DataType type, int count, int shift, boolean inPlace, long seed) {
        Sample sample = new Sample(type, ReduceOp.SUM, ranks, count, seed);
        for (int r = 0; r < ranks; r++) {
            sample.fill(r, inputs[r]);
        }
        long bytes = (long) count * type.bytes();
        long recv = rank.output + (long) shift * type.bytes();
        long send = inPlace ? recv + me * bytes : rank.input + (long) (shift * 3 % 4) * type.bytes();
        poison(recv, ranks * bytes);
        load(send, inputs[me].asSlice(0, bytes));
        if (blocks(seed)) {
            engine.allGather(send, recv, count, type);
        } else {
            engine.allGather(send, recv, count, type, rank.stream);
        }
        MemorySegment got = look(recv, ranks * bytes);
        String what = "gather " + type + " count " + count + " shift " + shift + (inPlace ? " in place" : "");
        for (int r = 0; r < ranks; r++) {
            long at = inputs[r].asSlice(0, bytes).mismatch(got.asSlice(r * bytes, bytes));
            if (at >= 0) {
                fail(what + ": part " + r + " is wrong from byte " + at + " on");
            }
        }
        untouched(got, ranks * bytes, what);
    }

    private void scatter(DataType type, ReduceOp op, int count, int shift, boolean inPlace, long seed) {
        Sample whole = new Sample(type, op, ranks, count * ranks, seed);
        for (int r = 0; r < ranks; r++) {
            whole.fill(r, inputs[r]);
        }
        long bytes = (long) count * type.bytes();
        long send = rank.input + (long) shift * type.bytes();
        long recv = inPlace ? send + me * bytes : rank.output + (long) (shift * 3 % 4) * type.bytes();
        poison(recv, bytes);
        load(send, inputs[me].asSlice(0, ranks * bytes));
        if (blocks(seed)) {
            engine.reduceScatter(send, recv, count, type, op);
        } else {
            engine.reduceScatter(send, recv, count, type, op, rank.stream);
        }
        String what =
                "scatter " + type + " " + op + " count " + count + " shift " + shift + (inPlace ? " in place" : "");
        MemorySegment got = look(recv, bytes);
        MemorySegment[] parts = new MemorySegment[ranks];
        for (int r = 0; r < ranks; r++) {
            parts[r] = inputs[r].asSlice(me * bytes, bytes);
        }
        String wrong = new Sample(type, op, ranks, count, seed).wrong(got, parts);
        if (!wrong.isEmpty()) {
            fail(what + " seed " + seed + ": " + wrong);
        }
        if (!inPlace) {
            untouched(got, bytes, what);
            MemorySegment after = look(send, ranks * bytes).asSlice(0, ranks * bytes);
            if (after.mismatch(inputs[me].asSlice(0, ranks * bytes)) >= 0) {
                fail(what + ": the input has changed");
            }
        }
    }

    /** A third of the ranks call the form that waits, whatever the others do. */
    private boolean blocks(long seed) {
        return (seed + me) % 3 == 0;
    }

    private void poison(long at, long bytes) {
        // Earlier calls may still be writing to the same buffers.
        CudaStream.synchronize(rank.stream);
        CudaMemory.fill(at, POISON, bytes + GUARD);
        CudaStream.synchronize(0);
    }

    private void load(long at, MemorySegment from) {
        CudaMemory.toDevice(at, from);
        CudaStream.synchronize(0); // a copy from ordinary memory may return before it has arrived
    }

    private MemorySegment look(long at, long bytes) {
        cases++;
        engine.synchronize(rank.stream);
        MemorySegment got = result.asSlice(0, bytes + GUARD);
        CudaMemory.toHost(got, at);
        return got;
    }

    private void untouched(MemorySegment got, long end, String what) {
        for (int i = 0; i < GUARD; i++) {
            if (got.get(ValueLayout.JAVA_BYTE, end + i) != POISON) {
                fail(what + ": wrote past the end");
                return;
            }
        }
    }

    private void fail(String what) {
        if (failures++ < 20) {
            System.out.println("WRONG rank " + me + " " + what);
        }
    }

    private String verdict(int failedBefore) {
        return failures == failedBefore ? "right" : "WRONG: " + (failures - failedBefore);
    }

    int failures() {
        return failures;
    }
}
