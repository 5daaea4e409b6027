package dev.mininccl.cli.doctor;

import dev.mininccl.transport.verbs.GpuDirect;
import java.util.ArrayList;
import java.util.List;

/** Judges whether RDMA devices read and write the memory of GPUs. Data passes through pinned host memory where they do not. */
final class DirectChecks {

    private static final String SUBJECT = "gpu direct";

    private final GpuDirect direct;
    private final SystemFiles files;

    DirectChecks(GpuDirect direct, SystemFiles files) {
        this.direct = direct;
        this.files = files;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(SUBJECT, String.join("; ", answers())));
        direct.pairs().forEach(pair -> findings.add(judge(pair)));
        return findings;
    }

    private List<String> answers() {
        List<String> answers = new ArrayList<>();
        if (direct.gpus().isEmpty()) {
            answers.add("no GPU");
        }
        for (GpuDirect.Answer gpu : direct.gpus()) {
            answers.add(gpu.name()
                    + (gpu.refusal().isEmpty() ? " exports DMA-BUFs" : " exports no DMA-BUF: " + gpu.refusal()));
        }
        if (direct.devices().isEmpty()) {
            answers.add("no RDMA device");
        }
        for (GpuDirect.Answer device : direct.devices()) {
            answers.add(device.name()
                    + (device.refusal().isEmpty() ? " takes DMA-BUFs" : " takes no DMA-BUF: " + device.refusal()));
        }
        boolean peermem = files.exists("sys/module/nvidia_peermem") || files.exists("sys/module/nv_peer_mem");
        answers.add("nvidia_peermem " + (peermem ? "loaded" : "not loaded"));
        return answers;
    }

    private static Finding judge(GpuDirect.Pair pair) {
        String text = pair.device() + " and " + pair.gpu() + ": " + pair.words();
        return pair.way() == GpuDirect.Way.HOST_SLOTS && !pair.software()
                ? Finding.warn(
                        SUBJECT,
                        text,
                        "use NVIDIA's open kernel modules, which export DMA-BUFs, or modprobe nvidia_peermem")
                : Finding.ok(SUBJECT, text);
    }
}
