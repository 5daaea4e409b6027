package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.Mtu;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.transport.verbs.ChosenPort;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaChecksTest {

    @TempDir
    private Path root;

    private FakeFiles machine;

    @BeforeEach
    void machine() {
        machine = new FakeFiles(root);
    }

    private List<Finding> findings(Rdma rdma) {
        return new RdmaChecks(rdma, machine.files()).findings();
    }

    private static Rdma absent(String reason) {
        return new Rdma(Optional.of(reason), List.of(), List.of(), Optional.of(reason));
    }

    private static GidEntry gid() throws IOException {
        return new GidEntry(1, 3, Gid.of(InetAddress.getByName("10.0.0.7")), GidEntry.Type.ROCE_V2, 2);
    }

    private static Rdma.Adapter adapter(int vendorId, PortAttributes.State state) throws IOException {
        PortAttributes port = new PortAttributes(
                1, state, Mtu.of(5), Mtu.of(3), 0, PortAttributes.LinkLayer.ETHERNET, false, 16, 1L << 30, 1, 32);
        return new Rdma.Adapter(
                "mlx5_0",
                vendorId == 0xffffff,
                vendorId,
                "28.1",
                List.of(new Rdma.PortView(port, List.of(gid()))),
                Optional.empty());
    }

    @Test
    void noDeviceIsAsItShouldBe() {
        assertThat(findings(absent("not found; install rdma-core")))
                .singleElement()
                .satisfies(only -> {
                    assertThat(only.level()).isEqualTo(Finding.Level.OK);
                    assertThat(only.text()).contains("none is needed", "not found; install rdma-core");
                });
    }

    @Test
    void deviceWithoutLibraryIsToBeMended() throws IOException {
        machine.file("sys/class/infiniband/mlx5_0/node_desc", "x");
        assertThat(findings(absent("not found; install rdma-core")))
                .singleElement()
                .satisfies(only -> {
                    assertThat(only.level()).isEqualTo(Finding.Level.WARN);
                    assertThat(only.text()).contains("[mlx5_0]");
                    assertThat(only.fix()).isEqualTo("not found; install rdma-core");
                });
    }

    @Test
    void portAndChosenGidAreDescribed() throws IOException {
        machine.link("sys/class/infiniband/mlx5_0/device/driver", "../../../../bus/pci/drivers/mlx5_core");
        Rdma rdma = new Rdma(
                Optional.empty(),
                List.of(adapter(0x2c9, PortAttributes.State.ACTIVE)),
                List.of(new ChosenPort("mlx5_0", 1, gid())),
                Optional.empty());
        List<Finding> findings = findings(rdma);
        assertThat(findings).allMatch(finding -> finding.level() == Finding.Level.OK);
        assertThat(findings)
                .extracting(Finding::text)
                .containsExactly(
                        "libibverbs.so.1 found, 1 device(s)",
                        "hardware, provider mlx5_core, firmware 28.1",
                        "ACTIVE, Ethernet, 25 Gb/s, MTU 1024, GID 3 ::ffff:10.0.0.7 RoCE v2 (chosen)",
                        "mlx5_0:1 by GID 3, RoCE v2");
    }

    @Test
    void allChosenPortsAreNamedInTheirOrder() throws IOException {
        Rdma rdma = new Rdma(
                Optional.empty(),
                List.of(adapter(0x2c9, PortAttributes.State.ACTIVE)),
                List.of(new ChosenPort("mlx5_1", 2, gid()), new ChosenPort("mlx5_0", 1, gid())),
                Optional.empty());
        assertThat(findings(rdma).getLast().text())
                .isEqualTo("mlx5_1:2 by GID 3, RoCE v2; mlx5_0:1 by GID 3, RoCE v2; channels take them in turn");
    }

    @Test
    void softwareIsNamed() throws IOException {
        Rdma rdma = new Rdma(
                Optional.empty(), List.of(adapter(0xffffff, PortAttributes.State.ACTIVE)), List.of(), Optional.empty());
        assertThat(findings(rdma).get(1).text()).startsWith("software, provider rxe (Soft-RoCE)");
    }

    @Test
    void noUsablePortIsToBeMended() throws IOException {
        Rdma rdma = new Rdma(
                Optional.empty(),
                List.of(adapter(0x2c9, PortAttributes.State.DOWN)),
                List.of(),
                Optional.of("mlx5_0:1 is DOWN"));
        assertThat(findings(rdma).get(2).text()).startsWith("DOWN, ");
        assertThat(findings(rdma).getLast().level()).isEqualTo(Finding.Level.WARN);
        assertThat(findings(rdma).getLast().text()).contains("mlx5_0:1 is DOWN");
    }

    @Test
    void refusedDeviceIsToBeMended() {
        Rdma.Adapter refused =
                new Rdma.Adapter("mlx5_0", false, 0, "", List.of(), Optional.of("ibv_open_device mlx5_0: EACCES"));
        Rdma rdma = new Rdma(Optional.empty(), List.of(refused), List.of(), Optional.of("EACCES"));
        assertThat(findings(rdma).get(1).level()).isEqualTo(Finding.Level.WARN);
        assertThat(findings(rdma).get(1).fix()).contains("/dev/infiniband");
    }
}
