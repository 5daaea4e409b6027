package dev.mininccl.cli.topo;

import java.util.List;

/**
 * Processors and the memory next to them.
 *
 * @param id its number
 * @param cpus a list such as {@code 0-15,32-47}
 * @param memoryBytes what it has
 * @param distances to every node as the firmware tells, 10 to itself
 */
record NumaNode(int id, String cpus, long memoryBytes, List<Integer> distances) {}
