package dev.mininccl.core.gpu;

import java.util.Locale;

/** Kernel families, each a source under {@code core/src/main/cuda} and a resource for every element type. */
public enum Family {
    /** One-shot, flag in the data, up to eight ranks. */
    LL(0, true),
    /** The same for two ranks. */
    LL2(1, true),
    /** 128-byte lines with a flag, two ranks over NVLink. */
    LL128(2, true),
    /** Slots both ways at once, two ranks. */
    EXCHANGE(3, false),
    /** Reduce-scatter and all-gather around a ring. */
    RING(4, false),
    /** Registered buffers: each rank reduces its part and stores it to all. */
    TWOSHOT(5, false);

    private final int index;
    private final boolean keeper;

    Family(int index, boolean keeper) {
        this.index = index;
        this.keeper = keeper;
    }

    /** The name of its entry points and resources. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its place in tables. */
    int index() {
        return index;
    }

    /** Threads a block has besides those that move data. */
    int extraThreads() {
        return keeper ? 32 : 0;
    }
}
