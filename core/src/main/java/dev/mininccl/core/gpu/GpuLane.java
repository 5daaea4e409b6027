package dev.mininccl.core.gpu;

import java.util.Locale;

/** What the GPUs of one machine exchange data through. */
public enum GpuLane {
    /** Stores into the peer's memory. */
    PEER,
    /** Host memory that all ranks map and every GPU addresses. */
    HOST;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
