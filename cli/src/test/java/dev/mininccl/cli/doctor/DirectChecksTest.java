package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.transport.verbs.GpuDirect;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectChecksTest {

    private static final List<GpuDirect.Answer> GPU = List.of(new GpuDirect.Answer("gpu 0", ""));
    private static final List<GpuDirect.Answer> DEVICE = List.of(new GpuDirect.Answer("mlx5_0", "EOPNOTSUPP"));

    @TempDir
    private Path root;

    private List<Finding> findings(GpuDirect direct) {
        return new DirectChecks(direct, new FakeFiles(root).files()).findings();
    }

    private static GpuDirect with(GpuDirect.Pair pair) {
        return new GpuDirect(GPU, DEVICE, List.of(pair));
    }

    @Test
    void nothingToJoinIsAsItShouldBe() {
        assertThat(findings(new GpuDirect(List.of(), List.of(), List.of())))
                .containsExactly(Finding.ok("gpu direct", "no GPU; no RDMA device; nvidia_peermem not loaded"));
    }

    @Test
    void eachSideAnswersForItself() throws IOException {
        new FakeFiles(root).file("sys/module/nvidia_peermem/refcnt", "0");
        assertThat(findings(new GpuDirect(GPU, DEVICE, List.of())))
                .containsExactly(Finding.ok(
                        "gpu direct",
                        "gpu 0 exports DMA-BUFs; mlx5_0 takes no DMA-BUF: EOPNOTSUPP; nvidia_peermem loaded"));
    }

    @Test
    void whatIsProvenIsTold() {
        Finding last = findings(with(new GpuDirect.Pair(
                        "gpu 0", "mlx5_0", false, GpuDirect.Way.PEERMEM, List.of("DMA-BUF: no"), "proven")))
                .getLast();
        assertThat(last).isEqualTo(Finding.ok("gpu direct", "mlx5_0 and gpu 0: peermem, proven; refused: DMA-BUF: no"));
    }

    @Test
    void hardwareThatGoesThroughHostMemoryCanDoBetterAndSoftwareCannot() {
        List<String> refusals = List.of("DMA-BUF: no", "peermem: not loaded");
        Finding hardware = findings(
                        with(new GpuDirect.Pair("gpu 0", "mlx5_0", false, GpuDirect.Way.HOST_SLOTS, refusals, "")))
                .getLast();
        assertThat(hardware.level()).isEqualTo(Finding.Level.WARN);
        assertThat(hardware.text())
                .isEqualTo("mlx5_0 and gpu 0: pinned host memory; refused: DMA-BUF: no; peermem: not loaded");
        assertThat(hardware.fix()).contains("modprobe nvidia_peermem");
        Finding software = findings(
                        with(new GpuDirect.Pair("gpu 0", "rxe0", true, GpuDirect.Way.HOST_SLOTS, refusals, "")))
                .getLast();
        assertThat(software.level()).isEqualTo(Finding.Level.OK);
    }
}
