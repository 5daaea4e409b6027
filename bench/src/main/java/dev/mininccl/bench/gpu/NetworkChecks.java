package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mininccl.bench.gpu.NetworkRank.Call;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Results against the reference, for every type and operation, awkward counts and alignments, and sequences of sizes. */
final class NetworkChecks {
    private static final int[] COUNTS = {1, 3, 17, 1000, 4097, 70_001};
    /** Through several segments of the staging memory, shared by all channels. */
    private static final int[] LARGE = {2_000_003, 17_000_001, 8 << 20};

    private static final int LARGEST = 17_000_001;

    private final NetworkRank self;
    private final int rank;
    private final int ranks;
    private final MemorySegment[] inputs;
    private final MemorySegment result;
    private int failures;
    private int cases;

    NetworkChecks(NetworkRank self, int rank, int ranks, Arena arena) {
        this.self = self;
        this.rank = rank;
        this.ranks = ranks;
        inputs = new MemorySegment[ranks];
        for (int r = 0; r < ranks; r++) {
            inputs[r] = arena.allocate(4L * LARGEST + 64, 64);
        }
        result = arena.allocate(4L * LARGEST + 128, 64);
    }

    /** Runs all; the number of failures. */
    int run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                for (int count : COUNTS) {
                    one(new Call(type, op, count, random.nextInt(4), random.nextBoolean()), random.nextLong());
                }
            }
        }
        for (int count : LARGE) {
            one(new Call(DataType.FLOAT32, ReduceOp.SUM, count, 0, false), random.nextLong());
            one(new Call(DataType.FLOAT16, ReduceOp.MAX, count, 1, true), random.nextLong());
        }
        for (int i = 0; i < 300; i++) {
            int count = 1 + random.nextInt(random.nextBoolean() ? 200 : 400_000);
            one(
                    new Call(DataType.FLOAT32, ReduceOp.SUM, count, random.nextInt(4), random.nextBoolean()),
                    random.nextLong());
        }
        return failures;
    }

    int cases() {
        return cases;
    }

    private void one(Call call, long seed) {
        Sample sample = new Sample(call.type(), call.op(), ranks, call.count(), seed);
        for (int r = 0; r < ranks; r++) {
            sample.fill(r, inputs[r]);
        }
        self.reduce(call, inputs[rank], result);
        cases++;
        String wrong = sample.wrong(result, inputs);
        for (long i = call.bytes(); wrong.isEmpty() && i < call.bytes() + 64; i++) {
            wrong = result.get(JAVA_BYTE, i) == Call.PATTERN ? "" : "wrote past the end";
        }
        if (!wrong.isEmpty() && failures++ < 5) {
            System.out.println("WRONG rank " + rank + " " + call + " seed " + seed + ": " + wrong);
        }
    }
}
