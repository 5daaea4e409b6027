package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.LaneTraits;
import dev.mininccl.core.tuning.Plan;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/**
 * Finds out at set-up whether large slices go faster through slots or by the receiver's reading of the sender's memory. It
 * depends on how the ranks' cores share caches, which nothing tells beforehand.
 */
public final class Calibration {

    private static final int BYTES = 512 << 10;

    /** Each way so many times in turn; then ranks compare what they have. */
    private static final int TURNS = 8;

    /** Of turns; by then a compiler that keeps a core busy is done. */
    private static final int MOST_BLOCKS = 12;

    /** A best time that a block did not better by a tenth is settled. */
    private static final double SETTLED = 0.9;

    /**
     * Where cores move closer or apart under the ranks' feet, as those of virtual machines do, slots win twice over in one
     * state and lose a tenth in the other: only a clear lead counts.
     */
    private static final double CLEARLY = 0.8;

    /** What was measured: nanoseconds of the slowest rank. */
    public record Result(long slotNanos, long referenceNanos) {

        /** Whether references are clearly the faster way. */
        public boolean references() {
            return referenceNanos < CLEARLY * slotNanos;
        }

        /** For {@code explain()}. */
        public String words() {
            return "512 KiB take " + slotNanos / 1000 + " us through slots, " + referenceNanos / 1000
                    + " us by reading the peer's memory: " + (references() ? "reading" : "slots") + " it is";
        }
    }

    private Calibration() {}

    /** Runs both ways on the first channel, in step with all ranks, and agrees on the result. */
    public static Result run(
            Bootstrap bootstrap,
            Link[] links,
            LaneTraits traits,
            Waiter waiter,
            Failures failures,
            Settings settings,
            Deadline deadline) {
        Result best = new Result(Long.MAX_VALUE, Long.MAX_VALUE);
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(2L * BYTES, 4096).fill((byte) 0).address();
            Channel channel = new Channel(bootstrap.rank(), links, new WindowTable(), waiter, settings, arena);
            Plan slots = plan(traits.slotBytes(), false);
            Plan references = plan(traits.referenceBytes(), true);
            bootstrap.barrier(deadline);
            for (int block = 0; block < MOST_BLOCKS; block++) {
                Result mine = best;
                for (int turn = 0; turn < TURNS; turn++) {
                    mine = new Result(
                            Math.min(mine.slotNanos, time(channel, memory, slots, failures)),
                            Math.min(mine.referenceNanos, time(channel, memory, references, failures)));
                }
                Result before = best;
                best = slowest(bootstrap, mine, deadline);
                if (best.slotNanos > SETTLED * before.slotNanos
                        && best.referenceNanos > SETTLED * before.referenceNanos) {
                    break;
                }
            }
        }
        return best;
    }

    private static Result slowest(Bootstrap bootstrap, Result mine, Deadline deadline) {
        byte[] encoded = ByteBuffer.allocate(16)
                .putLong(mine.slotNanos)
                .putLong(mine.referenceNanos)
                .array();
        Result slowest = mine;
        for (byte[] one : bootstrap.allGather(encoded, deadline)) {
            ByteBuffer read = ByteBuffer.wrap(one);
            slowest = new Result(
                    Math.max(slowest.slotNanos, read.getLong()), Math.max(slowest.referenceNanos, read.getLong()));
        }
        return slowest;
    }

    private static Plan plan(int sliceBytes, boolean byReference) {
        return new Plan(Plan.Algorithm.TWO_SHOT, sliceBytes, byReference, false);
    }

    private static long time(Channel channel, long memory, Plan plan, Failures failures) {
        long start = System.nanoTime();
        int count = BYTES / Float.BYTES;
        int ended = channel.run(
                Collective.ALL_REDUCE, memory, memory + BYTES, count, 0, DataType.FLOAT32, ReduceOp.SUM, 1, plan, null);
        long nanos = System.nanoTime() - start;
        if (ended != Algorithm.DONE) {
            throw failures.failed(channel, ended, -1);
        }
        return nanos;
    }
}
