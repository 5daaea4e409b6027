package dev.mininccl.cli.topo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A machine for people. */
final class TopoText {

    private static final long GIB = 1L << 30;

    private final StringBuilder text = new StringBuilder();
    private final Machine machine;

    TopoText(Machine machine) {
        this.machine = machine;
    }

    String all() {
        line("host  %s: %s, %d processors", machine.host(), machine.cpu(), machine.cpus());
        for (NumaNode node : machine.nodes()) {
            line(
                    "node%d  cpus %s, %.1f GiB, distances %s",
                    node.id(),
                    node.cpus(),
                    (double) node.memoryBytes() / GIB,
                    node.distances().toString().replaceAll("[\\[\\],]", ""));
        }
        if (machine.gpus().isEmpty()) {
            line("no NVIDIA GPU (%s)", machine.driver());
        }
        machine.gpus().forEach(this::gpu);
        machine.nics().forEach(this::nic);
        matrix();
        return text.toString();
    }

    private void gpu(Gpu gpu) {
        String what = gpu.ordinal().isPresent()
                ? String.format(Locale.ROOT, "sm_%d, %.0f GiB", gpu.capability(), (double) gpu.memoryBytes() / GIB)
                : unusable();
        line(
                "%s  %s, %s, %s, %s",
                gpu.label(), gpu.name(), what, node(gpu.path()), gpu.path().text());
    }

    private String unusable() {
        return machine.gpus().stream().anyMatch(gpu -> gpu.ordinal().isPresent())
                ? "hidden from this process (by CUDA_VISIBLE_DEVICES or its container)"
                : "not usable by this process: " + machine.driver();
    }

    private void nic(Nic nic) {
        String speed = nic.megabits() == 0 ? "" : String.format(Locale.ROOT, ", %.0f Gb/s", nic.megabits() / 1e3);
        String place = nic.path().map(path -> node(path) + ", " + path.text()).orElse("software, or not on PCI");
        line("%s  %s, %s%s, %s", nic.label(), nic.name(), nic.state(), speed, place);
    }

    private static String node(PciPath path) {
        return path.node() < 0 ? "no NUMA node" : "node" + path.node();
    }

    /** Each GPU and PCI adapter against each, as nvidia-smi topo -m prints it. */
    private void matrix() {
        List<Nic> nics =
                machine.nics().stream().filter(nic -> nic.path().isPresent()).toList();
        List<String> labels = new ArrayList<>();
        machine.gpus().forEach(gpu -> labels.add(gpu.label()));
        nics.forEach(nic -> labels.add(nic.label()));
        if (labels.size() < 2) {
            return;
        }
        line("");
        row("", labels);
        for (Gpu gpu : machine.gpus()) {
            List<String> cells = new ArrayList<>();
            machine.gpus().forEach(other -> cells.add(machine.between(gpu, other)));
            nics.forEach(nic -> cells.add(
                    Distance.between(gpu.path(), nic.path().orElseThrow()).label()));
            row(gpu.label(), cells);
        }
        for (Nic nic : nics) {
            PciPath path = nic.path().orElseThrow();
            List<String> cells = new ArrayList<>();
            machine.gpus()
                    .forEach(gpu -> cells.add(Distance.between(path, gpu.path()).label()));
            nics.forEach(other ->
                    cells.add(Distance.between(path, other.path().orElseThrow()).label()));
            row(nic.label(), cells);
        }
        line("");
        line("NV#   # NVLinks");
        Arrays.stream(Distance.values()).forEach(one -> line("%-4s  %s", one.label(), one.meaning()));
    }

    private void row(String head, List<String> cells) {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-6s", head));
        cells.forEach(cell -> row.append(String.format(Locale.ROOT, "%-6s", cell)));
        text.append(row.toString().stripTrailing()).append('\n');
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency
    private void line(String form, Object... values) {
        text.append(String.format(Locale.ROOT, form, values).stripTrailing()).append('\n');
    }
}
