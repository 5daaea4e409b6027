package dev.mininccl.cli.topo;

import dev.mininccl.cli.doctor.SystemFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * A device's way to the processor.
 *
 * @param address its own, {@code domain:bus:device.function}
 * @param root the root complex, as {@code pci0000:00}
 * @param bridges what lies between, from the root on
 * @param node its NUMA node, or -1 where the machine has none or does not tell
 */
record PciPath(String address, String root, List<String> bridges, int node) {

    private static final String DEVICES = "sys/bus/pci/devices/";

    /** Reads a device's path; empty for what is on no PCI bus. */
    static Optional<PciPath> of(SystemFiles files, String address) {
        return files.realPath(DEVICES + address).flatMap(real -> {
            List<String> names = StreamSupport.stream(real.spliterator(), false)
                    .map(Path::toString)
                    .toList();
            int root = 0;
            while (root < names.size() && !names.get(root).startsWith("pci")) {
                root++;
            }
            if (root >= names.size() - 1) {
                return Optional.empty();
            }
            int node = files.line(DEVICES + address + "/numa_node")
                    .map(Integer::parseInt)
                    .orElse(-1);
            return Optional.of(new PciPath(
                    address, names.get(root), List.copyOf(names.subList(root + 1, names.size() - 1)), node));
        });
    }

    /** From the root to the device, for people. */
    String text() {
        return root + " > " + String.join(" > ", bridges) + (bridges.isEmpty() ? "" : " > ") + address;
    }
}
