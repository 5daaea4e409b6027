package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;

/**
 * One channel's share of a segment in staging memory: its input arrives while the channel works already, and whoever takes the result
 * away does so while the channel still works. Both sides count bytes from the start of the share.
 */
final class Stage {

    /** A mark is a segment's number above so many bits of how many bytes are there. */
    private static final int NUMBER_SHIFT = 32;

    private final long arrived;
    private final long completed;
    private long start;

    /** Addresses of the two marks. */
    Stage(long arrived, long completed) {
        this.arrived = arrived;
        this.completed = completed;
    }

    void begin(long segment) {
        start = segment << NUMBER_SHIFT;
    }

    /** Bytes of the input that have come, if not more than the share. */
    long arrivedAcquire() {
        return NativeMemory.getLongAcquire(arrived) - start;
    }

    /** So many bytes of the output are final. */
    void completedRelease(long bytes) {
        NativeMemory.putLongRelease(completed, start + bytes);
    }
}
