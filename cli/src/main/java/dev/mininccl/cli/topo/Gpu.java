package dev.mininccl.cli.topo;

import java.util.OptionalInt;

/**
 * A GPU that the kernel sees.
 *
 * @param label {@code GPU} and the driver's ordinal, or for one that this process may not use its place in the list
 * @param name the product, as far as known
 * @param path its way to the processor
 * @param ordinal the driver's, or empty if this process may not use it
 * @param capability 10 times the major plus the minor compute capability, or 0
 * @param memoryBytes its memory, or 0
 */
record Gpu(String label, String name, PciPath path, OptionalInt ordinal, int capability, long memoryBytes) {}
