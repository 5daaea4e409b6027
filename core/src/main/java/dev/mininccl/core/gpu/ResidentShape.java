package dev.mininccl.core.gpu;

/**
 * The grid of a kernel that stays, and how much of it an operation uses.
 *
 * @param blocks the grid
 * @param threads data-moving threads a block, a multiple of 32
 * @param wordsEach 8-byte words a thread moves before another block takes part
 */
public record ResidentShape(int blocks, int threads, int wordsEach) {
    /** Measured on two H200s; on smaller devices no larger a part of them. */
    static ResidentShape shipped(GpuClass device) {
        return new ResidentShape(Math.clamp(device.multiprocessors() / 8, 1, 16), 512, 4);
    }

    /** How many blocks take part in an operation. */
    int partakers(long bytes) {
        long each = 8L * threads * wordsEach;
        return Math.clamp((bytes - 1) / each + 1, 1, blocks);
    }
}
