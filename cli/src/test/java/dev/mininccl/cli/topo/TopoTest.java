package dev.mininccl.cli.topo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.cli.JsonReader;
import dev.mininccl.cli.doctor.FakeFiles;
import dev.mininccl.cli.doctor.Gpus;
import dev.mininccl.cli.doctor.SystemFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines recorded as the files below /proc and /sys that tell of them. */
class TopoTest {

    private static final Gpus NO_DRIVER =
            new Gpus(Optional.of("no libcuda"), 0, Optional.of("libcuda.so.1 is absent"), List.of());

    @TempDir
    private Path root;

    private FakeFiles files;

    private void machine(String host, int cpus) throws IOException {
        files = new FakeFiles(root);
        files.file("proc/sys/kernel/hostname", host + "\n");
        StringBuilder cpu = new StringBuilder();
        for (int i = 0; i < cpus; i++) {
            cpu.append("processor\t: ").append(i).append("\nmodel name\t: Some CPU @ 2.00GHz\n\n");
        }
        files.file("proc/cpuinfo", cpu.toString());
        files.file("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    }

    private void node(int id, String cpus, String distances) throws IOException {
        String folder = "sys/devices/system/node/node" + id + "/";
        files.file(folder + "cpulist", cpus + "\n");
        files.file(folder + "distance", distances + "\n");
        files.file(folder + "meminfo", "Node " + id + " MemTotal:       1048576 kB\n");
    }

    /** A device below the bridges named, as the kernel lays it out; returns its folder. */
    private String pci(String path, int node, String vendor, String kind) throws IOException {
        String folder = "sys/devices/" + path;
        String address = path.substring(path.lastIndexOf('/') + 1);
        files.file(folder + "/vendor", vendor + "\n");
        files.file(folder + "/class", kind + "\n");
        files.file(folder + "/device", "0x2335\n");
        files.file(folder + "/numa_node", node + "\n");
        files.link("sys/bus/pci/devices/" + address, "../../../../" + folder);
        return folder;
    }

    private void net(String name, String pciFolder, String state, String speed) throws IOException {
        String folder = "sys/class/net/" + name;
        files.file(folder + "/operstate", state + "\n");
        files.file(folder + "/speed", speed + "\n");
        if (pciFolder != null) {
            files.link(folder + "/device", "../../../../" + pciFolder);
        }
    }

    private void rdma(String name, String pciFolder, String netName) throws IOException {
        String folder = "sys/class/infiniband/" + name;
        files.file(folder + "/ports/1/state", "4: ACTIVE\n");
        files.file(folder + "/ports/1/link_layer", "InfiniBand\n");
        files.file(folder + "/ports/1/rate", "400 Gb/sec (4X NDR)\n");
        files.link(folder + "/device", "../../../../" + pciFolder);
        if (netName != null) {
            files.file(pciFolder + "/net/" + netName + "/address", "00:00:00:00:00:00\n");
        }
    }

    private Machine read(Gpus driver, OptionalInt links) {
        return new MachineReader(files.files(), driver, (a, b) -> links).read();
    }

    /** Two sockets; on the first two GPUs and an adapter below one switch, and one GPU alone. */
    private void server() throws IOException {
        machine("server", 4);
        node(0, "0-1", "10 21");
        node(1, "2-3", "21 10");
        String port = "pci0000:15/0000:15:01.0/0000:16:00.0/";
        pci(port + "0000:17:00.0/0000:18:00.0", 0, "0x10de", "0x030200");
        pci(port + "0000:17:01.0/0000:19:00.0", 0, "0x10de", "0x030200");
        String nic = pci(port + "0000:17:02.0/0000:1a:00.0", 0, "0x15b3", "0x020700");
        pci("pci0000:15/0000:15:02.0/0000:1c:00.0", 0, "0x10de", "0x030200");
        pci("pci0000:37/0000:37:01.0/0000:38:00.0", 0, "0x10de", "0x030200");
        pci("pci0000:97/0000:97:01.0/0000:98:00.0", 1, "0x10de", "0x030200");
        String deeper = port + "0000:17:03.0/0000:1d:00.0/0000:1e:00.0/0000:1f:00.0";
        String ethernet = pci(deeper, 0, "0x15b3", "0x020000");
        files.file("proc/driver/nvidia/gpus/0000:98:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 5\n");
        net("ib0", nic, "up", "400000");
        rdma("mlx5_0", nic, "ib0");
        net("eth0", ethernet, "down", "-1");
        net("lo", null, "unknown", "-1");
    }

    @Test
    void distancesAreThoseOfNvidiaSmi() throws IOException {
        server();
        Machine machine = read(NO_DRIVER, OptionalInt.empty());
        List<Gpu> gpus = machine.gpus();
        assertThat(gpus)
                .extracting(gpu -> gpu.path().address())
                .containsExactly("0000:18:00.0", "0000:19:00.0", "0000:1c:00.0", "0000:38:00.0", "0000:98:00.0");
        assertThat(gpus.stream().map(gpu -> machine.between(gpus.getFirst(), gpu)))
                .containsExactly("X", "PIX", "PHB", "NODE", "SYS");
        PciPath first = gpus.getFirst().path();
        assertThat(machine.nics()).extracting(Nic::name).containsExactly("eth0", "ib0/mlx5_0");
        assertThat(machine.nics())
                .extracting(nic -> Distance.between(first, nic.path().orElseThrow()))
                .containsExactly(Distance.PXB, Distance.PIX);
        assertThat(gpus.getLast().name()).isEqualTo("NVIDIA H200");
        assertThat(gpus.getFirst().name()).isEqualTo("NVIDIA device 0x2335");
    }

    @Test
    void driverNamesAndOrdersGpusAndNvlinkBeatsPci() throws IOException {
        server();
        Gpus.Gpu one = new Gpus.Gpu("NVIDIA H200", 90, 1L << 37, "0000:98:00.0", List.of(1), List.of(1));
        Gpus.Gpu two = new Gpus.Gpu("NVIDIA H200", 90, 1L << 37, "0000:18:00.0", List.of(0), List.of(0));
        Gpus driver = new Gpus(Optional.empty(), 12080, Optional.empty(), List.of(one, two));
        Machine counted = read(driver, OptionalInt.of(18));
        assertThat(counted.driver()).isEqualTo("CUDA up to 12.8");
        assertThat(counted.gpus()).hasSize(5);
        assertThat(counted.between(counted.gpus().get(0), counted.gpus().get(1)))
                .isEqualTo("NV18");
        Machine uncounted = read(driver, OptionalInt.empty());
        assertThat(uncounted.between(uncounted.gpus().get(0), uncounted.gpus().get(1)))
                .isEqualTo("NV?");
        assertThat(uncounted.between(uncounted.gpus().get(0), uncounted.gpus().get(2)))
                .isEqualTo("SYS");
        assertThat(read(driver, OptionalInt.of(0))
                        .between(counted.gpus().get(0), counted.gpus().get(1)))
                .isEqualTo("SYS");
        assertThat(new TopoText(counted).all())
                .contains(
                        "GPU0  NVIDIA H200, sm_90, 128 GiB, node1, pci0000:97 > 0000:97:01.0 > 0000:98:00.0",
                        "hidden from this process",
                        "NIC1  ib0/mlx5_0, up, InfiniBand port ACTIVE, 400 Gb/s, node0, pci0000:15 > ",
                        "GPU0  X     NV18");
    }

    @Test
    void machineWithoutAnything() throws IOException {
        machine("laptop", 2);
        files.file("sys/devices/system/cpu/online", "0-1\n");
        net("eth0", null, "up", "10000");
        Machine machine = read(NO_DRIVER, OptionalInt.empty());
        assertThat(new TopoText(machine).all()).isEqualToNormalizingNewlines("""
                        host  laptop: Some CPU @ 2.00GHz, 2 processors
                        node0  cpus 0-1, 0.0 GiB, distances 10
                        no NVIDIA GPU (libcuda.so.1 is absent)
                        NIC0  eth0, up, 10 Gb/s, software, or not on PCI
                        """);
    }

    @Test
    void softRoceBelongsToItsInterface() throws IOException {
        machine("guest", 1);
        net("eth0", null, "up", "-1");
        files.file("sys/class/infiniband/rxe0/parent", "eth0\n");
        files.file("sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE\n");
        files.file("sys/class/infiniband/rxe0/ports/1/link_layer", "Ethernet\n");
        files.file("sys/class/infiniband/rxe0/ports/1/rate", "2.5 Gb/sec (1X SDR)\n");
        assertThat(read(NO_DRIVER, OptionalInt.empty()).nics())
                .containsExactly(new Nic("NIC0", "eth0", "rxe0", "up, Ethernet port ACTIVE", 2500, Optional.empty()));
    }

    @Test
    @SuppressWarnings("unchecked")
    void jsonHoldsEveryPairOnce() throws IOException {
        server();
        Map<String, Object> json = JsonReader.readObject(TopoJson.text(read(NO_DRIVER, OptionalInt.empty())));
        assertThat(json.keySet()).containsExactly("host", "cpu", "cpus", "nodes", "driver", "gpus", "nics", "links");
        assertThat((List<Object>) json.get("links")).hasSize(5 * 4 / 2 + 5 * 2);
        assertThat((List<Map<String, Object>>) json.get("nodes"))
                .last()
                .satisfies(node ->
                        assertThat(node).containsEntry("cpus", "2-3").containsEntry("memoryBytes", 1073741824.0));
    }

    @Test
    void thisMachineCanBeShown() {
        Gpus driver = Gpus.look();
        Machine machine = new MachineReader(new SystemFiles(Path.of("/")), driver, new Nvml()::links).read();
        assertThat(machine.cpus()).isPositive();
        assertThat(machine.nodes()).isNotEmpty();
        assertThat(machine.gpus()).hasSizeGreaterThanOrEqualTo(driver.devices().size());
        assertThat(new TopoText(machine).all()).startsWith("host  ");
        assertThat(JsonReader.readObject(TopoJson.text(machine))).containsKey("gpus");
    }

    @Test
    void nvmlAddressesBecomeTheKernels() {
        assertThat(Nvml.address("00000000:1B:00.0")).isEqualTo("0000:1b:00.0");
        assertThat(Nvml.address("0000:1b:00.0")).isEqualTo("0000:1b:00.0");
    }
}
