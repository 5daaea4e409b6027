package dev.mininccl.cli.topo;

import java.util.List;

/** What lies between two PCI devices, in the words of {@code nvidia-smi topo}; the nearest first. */
enum Distance {
    SELF("X", "the device itself"),
    PIX("PIX", "at most one PCIe bridge or switch"),
    PXB("PXB", "several PCIe bridges, and no host bridge"),
    PHB("PHB", "a PCIe host bridge, typically the CPU"),
    NODE("NODE", "several host bridges of one NUMA node"),
    SYS("SYS", "the interconnect between NUMA nodes");

    private final String label;
    private final String meaning;

    Distance(String label, String meaning) {
        this.label = label;
        this.meaning = meaning;
    }

    String label() {
        return label;
    }

    String meaning() {
        return meaning;
    }

    static Distance between(PciPath a, PciPath b) {
        if (a.address().equals(b.address())) {
            return SELF;
        }
        if (!a.root().equals(b.root())) {
            return a.node() == b.node() ? NODE : SYS;
        }
        int shared = shared(a.bridges(), b.bridges());
        if (shared == 0) {
            return PHB;
        }
        // A switch is a port up and ports down: one of the latter before each device is still that switch.
        int below = Math.max(a.bridges().size(), b.bridges().size()) - shared;
        return below <= 1 ? PIX : PXB;
    }

    private static int shared(List<String> a, List<String> b) {
        int count = 0;
        while (count < a.size() && count < b.size() && a.get(count).equals(b.get(count))) {
            count++;
        }
        return count;
    }
}
