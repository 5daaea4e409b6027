package dev.mininccl.cli.topo;

import java.util.List;
import java.util.Map;

/**
 * What a machine is made of, as far as collectives care.
 *
 * @param host its name
 * @param cpu the processor's product name
 * @param cpus logical processors online
 * @param nodes its NUMA nodes, at least one
 * @param gpus by label
 * @param nics by label
 * @param nvlinks between pairs of GPUs by their labels joined by a space, {@code NV} and the number of links
 * @param driver why the driver offers no GPU, or its release
 */
record Machine(
        String host,
        String cpu,
        int cpus,
        List<NumaNode> nodes,
        List<Gpu> gpus,
        List<Nic> nics,
        Map<String, String> nvlinks,
        String driver) {

    /** What joins two GPUs: NVLink, or else the PCI bus. */
    String between(Gpu a, Gpu b) {
        Distance distance = Distance.between(a.path(), b.path());
        return distance == Distance.SELF
                ? distance.label()
                : nvlinks.getOrDefault(a.label() + " " + b.label(), distance.label());
    }
}
