package dev.mininccl.core.gpu;

/**
 * What the communicator lends a GPU whose data goes through host memory.
 *
 * @param channels of the host engine
 * @param leastShare bytes from which on a further channel takes part
 * @param stagingBytes size of the pinned memory, the same on all ranks
 * @param operations runs them on the host engine
 */
public record HostService(int channels, long leastShare, long stagingBytes, StagingServer.Operations operations) {}
