package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.LaneTraits;
import dev.mininccl.core.tuning.Plan;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Finds out at set-up whether large slices go faster through slots or by the receiver's reading of the sender's memory. It
 * depends on how the ranks' cores share caches, which nothing tells beforehand: by a factor of two one way, a tenth the other.
 */
public final class Calibration {

    private static final int BYTES = 512 << 10;
    private static final int WARM_UP = 3;
    private static final int TIMED = 5;

    /** What was measured: nanoseconds of the slowest rank. */
    public record Result(long slotNanos, long referenceNanos) {

        /** Whether references are the faster way. */
        public boolean references() {
            return referenceNanos < slotNanos;
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
        long slots;
        long references;
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(2L * BYTES, 4096).fill((byte) 0).address();
            Channel channel = new Channel(bootstrap.rank(), links, new WindowTable(), waiter, settings, arena);
            bootstrap.barrier(deadline);
            slots = time(channel, memory, plan(traits.slotBytes(), false), failures);
            references = time(channel, memory, plan(traits.referenceBytes(), true), failures);
        }
        byte[] mine = ByteBuffer.allocate(16).putLong(slots).putLong(references).array();
        List<byte[]> all = bootstrap.allGather(mine, deadline);
        for (byte[] one : all) {
            slots = Math.max(slots, ByteBuffer.wrap(one).getLong());
            references = Math.max(references, ByteBuffer.wrap(one).getLong(8));
        }
        return new Result(slots, references);
    }

    private static Plan plan(int sliceBytes, boolean byReference) {
        return new Plan(Plan.Algorithm.TWO_SHOT, sliceBytes, byReference, false);
    }

    private static long time(Channel channel, long memory, Plan plan, Failures failures) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < WARM_UP + TIMED; i++) {
            long start = System.nanoTime();
            int ended =
                    channel.run(memory, memory + BYTES, BYTES / Float.BYTES, DataType.FLOAT32, ReduceOp.SUM, 1, plan);
            if (ended != Algorithm.DONE) {
                throw failures.failed(channel, ended, -1);
            }
            best = i < WARM_UP ? best : Math.min(best, System.nanoTime() - start);
        }
        return best;
    }
}
