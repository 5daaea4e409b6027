package dev.mininccl.core.gpu;

import dev.mininccl.core.spi.Pinning;
import java.util.function.BooleanSupplier;

/**
 * What the communicator lends a GPU whose data goes through host memory.
 *
 * @param channels of the host engine
 * @param leastShare bytes from which on a further channel takes part
 * @param stagingBytes size of the pinned memory, the same on all ranks
 * @param operations runs them on the host engine
 * @param pinning finds the processors near the GPU
 * @param withdraw has transports give back what they registered of staging memory that is gone; false if they are kept from it
 */
public record HostService(
        int channels,
        long leastShare,
        long stagingBytes,
        StagingServer.Operations operations,
        Pinning pinning,
        BooleanSupplier withdraw) {}
