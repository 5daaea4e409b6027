package dev.mininccl.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Judges the GPUs. A machine without any is as it should be; one that has some and cannot use them is not. */
final class GpuChecks {

    private static final long GIB = 1 << 30;
    private static final String NVIDIA = "0x10de";
    /** PCI class codes of display controllers, among them compute accelerators. */
    private static final String DISPLAY = "0x03";

    private final Gpus gpus;
    private final SystemFiles files;

    GpuChecks(Gpus gpus, SystemFiles files) {
        this.gpus = gpus;
        this.files = files;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(driver());
        for (int ordinal = 0; ordinal < gpus.devices().size(); ordinal++) {
            findings.add(gpu(ordinal));
        }
        if (!gpus.devices().isEmpty()) {
            findings.add(peers());
        }
        return findings;
    }

    private Finding driver() {
        if (gpus.absent().isPresent()) {
            return unusable("libcuda.so.1 cannot be used", gpus.absent().get());
        }
        if (gpus.refusal().isPresent()) {
            return unusable("libcuda.so.1 found, but no device", gpus.refusal().get());
        }
        return Finding.ok(
                "cuda", "libcuda.so.1 found, driver " + driverRelease() + ", for CUDA up to " + cudaRelease());
    }

    private Finding unusable(String text, String reason) {
        return hardware()
                ? Finding.warn("cuda", "there is an NVIDIA GPU, but " + text, reason)
                : Finding.ok("cuda", "no NVIDIA GPU, and none is needed: " + text + ": " + reason);
    }

    /** Whether the kernel sees a GPU, whatever this process may use. */
    private boolean hardware() {
        String devices = "sys/bus/pci/devices";
        return files.line("proc/driver/nvidia/version").isPresent()
                || files.names(devices).stream()
                        .map(name -> devices + "/" + name)
                        .anyMatch(device -> files.line(device + "/vendor")
                                        .filter(NVIDIA::equals)
                                        .isPresent()
                                && files.line(device + "/class")
                                        .filter(code -> code.startsWith(DISPLAY))
                                        .isPresent());
    }

    private String driverRelease() {
        return files.line("proc/driver/nvidia/version")
                .flatMap(line -> Pattern.compile("\\s(\\d+(\\.\\d+)+)\\s")
                        .matcher(line)
                        .results()
                        .findFirst())
                .map(found -> found.group(1))
                .orElse("of unknown release");
    }

    private String cudaRelease() {
        return gpus.cudaVersion() / 1000 + "." + gpus.cudaVersion() % 1000 / 10;
    }

    private Finding gpu(int ordinal) {
        Gpus.Gpu gpu = gpus.devices().get(ordinal);
        String node = files.line("sys/bus/pci/devices/" + gpu.busId() + "/numa_node")
                .filter(line -> !line.startsWith("-"))
                .map(line -> ", NUMA node " + line)
                .orElse("");
        return Finding.ok(
                "gpu " + ordinal,
                gpu.name() + ", compute capability " + gpu.capability() / 10 + "." + gpu.capability() % 10 + ", "
                        + gpu.memory() / GIB + " GiB, PCI " + gpu.busId() + node);
    }

    /** The driver's claim only: whether bytes arrive is checked when a communicator is set up. */
    private Finding peers() {
        int count = gpus.devices().size();
        if (count == 1) {
            return Finding.ok("peer access", "one GPU, so no peers");
        }
        List<String> rows = new ArrayList<>();
        boolean all = true;
        for (int ordinal = 0; ordinal < count; ordinal++) {
            Gpus.Gpu gpu = gpus.devices().get(ordinal);
            all &= gpu.peers().size() == count - 1;
            rows.add(ordinal + " reaches " + list(gpu.peers(), gpu.atomicPeers()));
        }
        String text = "claimed: " + String.join("; ", rows) + " (* with atomics, as over NVLink)";
        return all
                ? Finding.ok("peer access", text)
                : Finding.warn(
                        "peer access",
                        text,
                        "pairs without it go through host memory; see nvidia-smi topo -p2p r, and ACS and IOMMU in the BIOS");
    }

    private static String list(List<Integer> peers, List<Integer> atomicPeers) {
        return Optional.of(peers.stream()
                        .map(peer -> peer + (atomicPeers.contains(peer) ? "*" : ""))
                        .collect(Collectors.joining(" ")))
                .filter(text -> !text.isEmpty())
                .orElse("none");
    }
}
