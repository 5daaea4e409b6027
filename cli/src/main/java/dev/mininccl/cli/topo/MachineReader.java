package dev.mininccl.cli.topo;

import dev.mininccl.cli.doctor.Gpus;
import dev.mininccl.cli.doctor.SystemFiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;

/** Puts together what /proc, /sys and the drivers tell. */
final class MachineReader {

    private static final String PCI = "sys/bus/pci/devices/";
    private static final String NODES = "sys/devices/system/node/";
    private static final String NVIDIA = "0x10de";
    /** PCI class codes of display controllers, among them compute accelerators. */
    private static final String DISPLAY = "0x03";

    private static final long KIB = 1024;

    private final SystemFiles files;
    private final Gpus driver;

    /** NVLinks between the devices of two PCI addresses, as far as known. */
    private final BiFunction<String, String, OptionalInt> nvlinks;

    MachineReader(SystemFiles files, Gpus driver, BiFunction<String, String, OptionalInt> nvlinks) {
        this.files = files;
        this.driver = driver;
        this.nvlinks = nvlinks;
    }

    Machine read() {
        List<Gpu> gpus = gpus();
        return new Machine(
                files.line("proc/sys/kernel/hostname").orElse("unknown"),
                value("proc/cpuinfo", "model name").orElse("unknown processor"),
                (int) files.lines("proc/cpuinfo").stream()
                        .filter(line -> line.startsWith("processor"))
                        .count(),
                nodes(),
                gpus,
                new Adapters(files).read(),
                links(gpus),
                driver.refusal()
                        .orElseGet(() ->
                                "CUDA up to " + driver.cudaVersion() / 1000 + "." + driver.cudaVersion() % 1000 / 10));
    }

    private Optional<String> value(String file, String key) {
        return files.lines(file).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst();
    }

    private List<NumaNode> nodes() {
        List<NumaNode> nodes = new ArrayList<>();
        for (String name : files.names(NODES)) {
            if (name.matches("node\\d+")) {
                nodes.add(node(Integer.parseInt(name.substring("node".length())), NODES + name));
            }
        }
        if (nodes.isEmpty()) {
            nodes.add(new NumaNode(
                    0,
                    files.line("sys/devices/system/cpu/online").orElse(""),
                    value("proc/meminfo", "MemTotal").map(MachineReader::bytes).orElse(0L),
                    List.of(10)));
        }
        nodes.sort(Comparator.comparingInt(NumaNode::id));
        return nodes;
    }

    private NumaNode node(int id, String folder) {
        long memory = files.lines(folder + "/meminfo").stream()
                .filter(line -> line.contains("MemTotal:"))
                .map(line -> bytes(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0L);
        List<Integer> distances = files.line(folder + "/distance").stream()
                .flatMap(line -> List.of(line.split("\\s+", -1)).stream())
                .map(Integer::parseInt)
                .toList();
        return new NumaNode(id, files.line(folder + "/cpulist").orElse(""), memory, distances);
    }

    /** As in {@code 16384 kB}. */
    private static long bytes(String text) {
        return Long.parseLong(text.replaceAll("\\D", "")) * KIB;
    }

    private List<Gpu> gpus() {
        List<Gpu> gpus = new ArrayList<>();
        for (int ordinal = 0; ordinal < driver.devices().size(); ordinal++) {
            Gpus.Gpu known = driver.devices().get(ordinal);
            PciPath path = PciPath.of(files, known.busId())
                    .orElseGet(() -> new PciPath(known.busId(), "unknown", List.of(), -1));
            gpus.add(new Gpu(
                    "GPU" + ordinal, known.name(), path, OptionalInt.of(ordinal), known.capability(), known.memory()));
        }
        for (String address : files.names("sys/bus/pci/devices")) {
            boolean used = gpus.stream().anyMatch(gpu -> gpu.path().address().equals(address));
            if (!used && isNvidiaGpu(address)) {
                PciPath.of(files, address)
                        .ifPresent(path -> gpus.add(
                                new Gpu("GPU" + gpus.size(), product(address), path, OptionalInt.empty(), 0, 0)));
            }
        }
        return gpus;
    }

    private boolean isNvidiaGpu(String address) {
        return files.line(PCI + address + "/vendor").filter(NVIDIA::equals).isPresent()
                && files.line(PCI + address + "/class")
                        .filter(code -> code.startsWith(DISPLAY))
                        .isPresent();
    }

    /** What the kernel module tells where the driver's library does not. */
    private String product(String address) {
        return value("proc/driver/nvidia/gpus/" + address + "/information", "Model")
                .orElseGet(() ->
                        "NVIDIA device " + files.line(PCI + address + "/device").orElse("unknown"));
    }

    private Map<String, String> links(List<Gpu> gpus) {
        Map<String, String> links = new HashMap<>();
        for (Gpu a : gpus) {
            for (Gpu b : gpus) {
                if (!a.equals(b)) {
                    OptionalInt count =
                            nvlinks.apply(a.path().address(), b.path().address());
                    if (count.orElse(0) > 0) {
                        links.put(a.label() + " " + b.label(), "NV" + count.getAsInt());
                    } else if (count.isEmpty() && atomicsReach(a, b)) {
                        links.put(a.label() + " " + b.label(), "NV?");
                    }
                }
            }
        }
        return links;
    }

    /** Atomic operations between devices work over NVLink only, so they betray it where its links cannot be counted. */
    private boolean atomicsReach(Gpu a, Gpu b) {
        return a.ordinal().isPresent()
                && b.ordinal().isPresent()
                && driver.devices()
                        .get(a.ordinal().getAsInt())
                        .atomicPeers()
                        .contains(b.ordinal().getAsInt());
    }
}
