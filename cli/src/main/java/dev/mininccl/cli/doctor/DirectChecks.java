package dev.mininccl.cli.doctor;

/** Judges whether a network adapter may read and write the memory of a GPU. */
final class DirectChecks {

    private final Gpus gpus;
    private final Rdma rdma;
    private final SystemFiles files;

    DirectChecks(Gpus gpus, Rdma rdma, SystemFiles files) {
        this.gpus = gpus;
        this.rdma = rdma;
        this.files = files;
    }

    Finding gpuDirect() {
        boolean peermem = files.exists("sys/module/nvidia_peermem") || files.exists("sys/module/nv_peer_mem");
        boolean dmaBuf = !gpus.devices().isEmpty() && gpus.devices().stream().allMatch(Gpus.Gpu::dmaBuf);
        String text = "nvidia_peermem " + (peermem ? "loaded" : "not loaded") + ", DMA-BUF export "
                + (gpus.devices().isEmpty() ? "not asked" : dmaBuf ? "claimed" : "not offered");
        boolean hardware = rdma.devices().stream().anyMatch(adapter -> !adapter.software());
        if (gpus.devices().isEmpty() || !hardware) {
            return Finding.ok(
                    "gpu direct",
                    text + ": without " + (gpus.devices().isEmpty() ? "a GPU" : "an RDMA adapter")
                            + " neither matters");
        }
        return peermem || dmaBuf
                ? Finding.ok("gpu direct", text)
                : Finding.warn(
                        "gpu direct",
                        text + ": RDMA from GPUs goes through host memory",
                        "modprobe nvidia_peermem, or use NVIDIA's open kernel modules, which export DMA-BUFs");
    }
}
