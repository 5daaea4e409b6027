package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;

/**
 * All-gather and reduce-scatter on inputs that all ranks have mapped: every rank reads what it needs of them. The outputs may lie
 * anywhere. In place a rank writes only what no other reads.
 */
final class WindowHalves extends WindowAlgorithm {

    private final long[] operands;

    WindowHalves(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours, windows, arena);
        this.operands = new long[ranks];
    }

    @Override
    void move(Step step) {
        if (step.collective.reduces()) {
            reduce(step);
        } else {
            copy(step);
        }
    }

    private void reduce(Step step) {
        long place = rank * step.strideBytes();
        int block = BLOCK_BYTES / step.elementBytes;
        for (long start = 0; start < step.count; start += block) {
            long offset = place + start * step.elementBytes;
            for (int peer = 0; peer < ranks; peer++) {
                operands[peer] = in[peer] + offset;
            }
            int count = (int) Math.min(block, step.count - start);
            Reductions.reduce(step.reducer, operands, ranks, step.out + offset, count);
        }
    }

    private void copy(Step step) {
        long bytes = step.count * step.elementBytes;
        // Each begins with another, so that they do not all read the same memory.
        for (int i = step.inPlace() ? 1 : 0; i < ranks; i++) {
            int peer = (rank + i) % ranks;
            NativeMemory.copy(in[peer], step.out + peer * step.strideBytes(), bytes);
        }
    }
}
