package dev.mininccl.core.spi;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.Sched;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.OptionalInt;

/** Keeps threads near a device: on the processors of its NUMA node, where the machine has more than one and settings allow it. */
public final class Pinning {

    private static final System.Logger LOG = System.getLogger("mininccl.topology");

    private final Path nodes;
    private final Path devices;
    private final boolean on;

    Pinning(Path sysfs, boolean on) {
        this.nodes = sysfs.resolve("devices/system/node");
        this.devices = sysfs.resolve("bus/pci/devices");
        this.on = on;
    }

    /**
     * For this machine.
     *
     * @param settings of the process: {@link Setting#PIN_THREADS}
     * @return a pinning that finds nothing near if it is off
     */
    public static Pinning of(Settings settings) {
        return new Pinning(Path.of("/sys"), !settings.text(Setting.PIN_THREADS).equalsIgnoreCase("off"));
    }

    /**
     * The processors of a NUMA node.
     *
     * @param node the device's, if it is known
     * @return their numbers; none where threads may stay anywhere
     */
    public BitSet near(OptionalInt node) {
        BitSet processors = new BitSet();
        try {
            if (on && node.isPresent() && list(nodes.resolve("online")).cardinality() > 1) {
                processors = list(nodes.resolve("node" + node.getAsInt()).resolve("cpulist"));
            }
        } catch (IOException | NumberFormatException e) {
            LOG.log(Level.DEBUG, "the processors of NUMA node {0} are not known: {1}", node, e.getMessage());
        }
        return processors;
    }

    /**
     * The processors of a PCI device's NUMA node.
     *
     * @param address domain, bus, device and function, as under {@code /sys/bus/pci/devices}
     * @return their numbers; none where threads may stay anywhere
     */
    public BitSet near(String address) {
        try {
            int node =
                    Integer.parseInt(Files.readString(devices.resolve(address).resolve("numa_node"))
                            .strip());
            return near(node < 0 ? OptionalInt.empty() : OptionalInt.of(node));
        } catch (IOException | NumberFormatException e) {
            LOG.log(Level.DEBUG, "the NUMA node of PCI device {0} is not known: {1}", address, e.getMessage());
            return new BitSet();
        }
    }

    /** Reads a list such as {@code 0-3,8}; a node of memory alone has an empty one. */
    private static BitSet list(Path file) throws IOException {
        BitSet numbers = new BitSet();
        String text = Files.readString(file).strip();
        for (String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            String[] ends = range.split("-", -1);
            numbers.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
        return numbers;
    }

    /**
     * Binds the calling thread to those processors of a set that it may use. Does nothing if there are none, and never throws.
     *
     * @param processors as {@link #near} gives them
     */
    public static void pin(BitSet processors) {
        if (processors.isEmpty()) {
            return;
        }
        try {
            BitSet wanted = Sched.affinity();
            wanted.and(processors);
            if (!wanted.isEmpty()) {
                Sched.setAffinity(wanted);
            }
        } catch (PosixException e) {
            LOG.log(
                    Level.DEBUG,
                    "{0} is not pinned: {1}",
                    Thread.currentThread().getName(),
                    e.getMessage());
        }
    }
}
