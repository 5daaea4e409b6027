package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuChecksTest {

    private static final String BUS_ID = "0000:1b:00.0";

    @TempDir
    private Path root;

    private FakeFiles machine;

    @BeforeEach
    void machine() {
        machine = new FakeFiles(root);
    }

    private List<Finding> findings(Gpus gpus) {
        return new GpuChecks(gpus, machine.files()).findings();
    }

    private static Gpus absent(String reason) {
        return new Gpus(Optional.of(reason), 0, Optional.of(reason), List.of());
    }

    private static Gpus present(Gpus.Gpu... gpus) {
        return new Gpus(Optional.empty(), 12080, Optional.empty(), List.of(gpus));
    }

    private static Gpus.Gpu gpu(List<Integer> peers, List<Integer> atomicPeers) {
        return new Gpus.Gpu("NVIDIA H200", 90, 139L << 30, BUS_ID, peers, atomicPeers);
    }

    private void nvidia(String classCode) throws IOException {
        machine.file("sys/bus/pci/devices/" + BUS_ID + "/vendor", "0x10de\n");
        machine.file("sys/bus/pci/devices/" + BUS_ID + "/class", classCode + "\n");
    }

    @Test
    void noGpuIsAsItShouldBe() {
        Finding only = findings(absent("not found; install the driver")).getFirst();
        assertThat(only.level()).isEqualTo(Finding.Level.OK);
        assertThat(only.text()).contains("none is needed", "not found; install the driver");
        assertThat(only.fix()).isEmpty();
    }

    @Test
    void gpuWithoutDriverIsToBeMended() throws IOException {
        nvidia("0x030200");
        Finding only = findings(absent("not found; install the driver")).getFirst();
        assertThat(only.level()).isEqualTo(Finding.Level.WARN);
        assertThat(only.fix()).isEqualTo("not found; install the driver");
    }

    /** NVSwitches and audio functions are NVIDIA's, too. */
    @Test
    void otherDevicesOfTheVendorAreNoGpus() throws IOException {
        nvidia("0x068000");
        assertThat(findings(absent("not found")).getFirst().level()).isEqualTo(Finding.Level.OK);
    }

    @Test
    void driverThatRefusesIsToBeMended() throws IOException {
        machine.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1  Mon\n");
        Gpus gpus = new Gpus(Optional.empty(), 12080, Optional.of("cuInit: unknown error"), List.of());
        Finding only = findings(gpus).getFirst();
        assertThat(only.level()).isEqualTo(Finding.Level.WARN);
        assertThat(only.text()).contains("libcuda.so.1 found");
        assertThat(only.fix()).isEqualTo("cuInit: unknown error");
    }

    @Test
    void oneGpuIsDescribed() throws IOException {
        machine.file(
                "proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build\n");
        machine.file("sys/bus/pci/devices/" + BUS_ID + "/numa_node", "1\n");
        List<Finding> findings = findings(present(gpu(List.of(), List.of())));
        assertThat(findings).allMatch(finding -> finding.level() == Finding.Level.OK);
        assertThat(findings).extracting(Finding::subject).containsExactly("cuda", "gpu 0", "peer access");
        assertThat(findings.get(0).text()).contains("driver 570.133.20", "CUDA up to 12.8");
        assertThat(findings.get(1).text())
                .isEqualTo("NVIDIA H200, compute capability 9.0, 139 GiB, PCI 0000:1b:00.0, NUMA node 1");
    }

    @Test
    void peersAreAMatrix() {
        Finding peers = findings(present(
                        gpu(List.of(1, 2), List.of(1)), gpu(List.of(0, 2), List.of(0)), gpu(List.of(0, 1), List.of())))
                .getLast();
        assertThat(peers.level()).isEqualTo(Finding.Level.OK);
        assertThat(peers.text()).contains("0 reaches 1* 2; 1 reaches 0* 2; 2 reaches 0 1");
    }

    @Test
    void missingPeersAreToBeMended() {
        Finding peers = findings(present(gpu(List.of(), List.of()), gpu(List.of(0), List.of())))
                .getLast();
        assertThat(peers.level()).isEqualTo(Finding.Level.WARN);
        assertThat(peers.text()).contains("0 reaches none; 1 reaches 0");
    }
}
