package dev.mininccl.core.gpu;

import java.util.Locale;

/** Kernel families, each a source under {@code core/src/main/cuda} and a resource for every element type. */
public enum Family {
    /** One-shot, flag in the data, up to eight ranks. */
    LL(0, true, 512),
    /** The same for two ranks. */
    LL2(1, true, 992),
    /** 128-byte lines with a flag, two ranks over NVLink. */
    LL128(2, true, 256),
    /** Slots both ways at once, two ranks. */
    EXCHANGE(3, false, 1024),
    /** Reduce-scatter and all-gather around a ring. */
    RING(4, false, 512),
    /** Registered buffers: each rank reduces its part and stores it to all. */
    TWOSHOT(5, false, 512),
    /** Flag in the data: each rank reduces its part and sends the result to all. */
    LL_TWOSHOT(6, true, 512),
    /** The same in 128-byte lines with a flag, over NVLink. */
    LL128_TWOSHOT(7, true, 256),
    /** The same through slots, for ranks that reach all others at full speed. */
    MESH(8, false, 512);

    private final int index;
    private final boolean keeper;
    private final int mostThreads;

    Family(int index, boolean keeper, int mostThreads) {
        this.index = index;
        this.keeper = keeper;
        this.mostThreads = mostThreads;
    }

    /** The name of its entry points and resources. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its place in tables. */
    int index() {
        return index;
    }

    /** The most threads a block that move data, as its kernels are compiled. */
    int mostThreads() {
        return mostThreads;
    }

    /** Threads a block has besides those that move data. */
    int extraThreads() {
        return keeper ? 32 : 0;
    }
}
