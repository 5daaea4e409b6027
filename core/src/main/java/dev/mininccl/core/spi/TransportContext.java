package dev.mininccl.core.spi;

import dev.mininccl.core.settings.Settings;

/**
 * What a transport is told about the communicator it serves.
 *
 * @param rank this process's rank
 * @param size the number of ranks
 * @param channels how many links each pair gets, at least 1
 * @param settings the process's settings
 * @param abort the communicator's abort flag; long waits look at it
 */
public record TransportContext(int rank, int size, int channels, Settings settings, AbortFlag abort) {}
