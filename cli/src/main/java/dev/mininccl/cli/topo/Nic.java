package dev.mininccl.cli.topo;

import java.util.Optional;

/**
 * A network adapter: an interface, an RDMA device, or both in one.
 *
 * @param label {@code NIC} and its place in the list
 * @param interfaceName the network interface, or empty
 * @param rdmaName the RDMA device, or empty
 * @param state for people: up or down, the RDMA port's state and kind
 * @param megabits its speed in 10^6 bits a second, or 0 where it does not tell
 * @param path its way to the processor, or empty for what is made by software
 */
record Nic(String label, String interfaceName, String rdmaName, String state, long megabits, Optional<PciPath> path) {

    /** Both names. */
    String name() {
        return rdmaName.isEmpty() ? interfaceName : interfaceName.isEmpty() ? rdmaName : interfaceName + "/" + rdmaName;
    }
}
