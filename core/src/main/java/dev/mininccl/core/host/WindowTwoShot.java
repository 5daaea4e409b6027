package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.schedule.OwnerSchedule;
import java.lang.foreign.Arena;

/**
 * Two-shot all-reduce on memory that all ranks have mapped: the owner of a part reads all copies and stores the result to
 * all. Only the owner reads or writes a part, so in place is safe.
 */
final class WindowTwoShot extends WindowAlgorithm {

    private final long[] operands;

    WindowTwoShot(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours, windows, arena);
        this.operands = new long[ranks];
    }

    @Override
    void move(Step step) {
        long end = OwnerSchedule.start(step.count, ranks, rank + 1);
        int block = BLOCK_BYTES / step.elementBytes;
        for (long start = OwnerSchedule.start(step.count, ranks, rank); start < end; start += block) {
            reduceBlock(step, start * step.elementBytes, (int) Math.min(block, end - start));
        }
    }

    private void reduceBlock(Step step, long offset, int count) {
        for (int peer = 0; peer < ranks; peer++) {
            operands[peer] = in[peer] + offset;
        }
        step.reducer.reduceAll(operands, ranks, out[rank] + offset, count);
        long bytes = (long) count * step.elementBytes;
        for (int i = 1; i < ranks; i++) {
            NativeMemory.copy(out[rank] + offset, out[(rank + i) % ranks] + offset, bytes);
        }
    }
}
