package dev.mininccl.cli.topo;

import dev.mininccl.cli.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A machine as one JSON object. */
final class TopoJson {

    private TopoJson() {}

    static String text(Machine machine) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("host", machine.host());
        object.put("cpu", machine.cpu());
        object.put("cpus", machine.cpus());
        object.put("nodes", machine.nodes().stream().map(TopoJson::node).toList());
        object.put("driver", machine.driver());
        object.put("gpus", machine.gpus().stream().map(TopoJson::gpu).toList());
        object.put("nics", machine.nics().stream().map(TopoJson::nic).toList());
        object.put("links", links(machine));
        return Json.text(object);
    }

    private static Map<String, Object> node(NumaNode node) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", node.id());
        object.put("cpus", node.cpus());
        object.put("memoryBytes", node.memoryBytes());
        object.put("distances", node.distances());
        return object;
    }

    private static Map<String, Object> gpu(Gpu gpu) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("label", gpu.label());
        object.put("name", gpu.name());
        object.put("ordinal", gpu.ordinal().isPresent() ? gpu.ordinal().getAsInt() : null);
        object.put("computeCapability", gpu.capability());
        object.put("memoryBytes", gpu.memoryBytes());
        object.put("pci", pci(gpu.path()));
        return object;
    }

    private static Map<String, Object> nic(Nic nic) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("label", nic.label());
        object.put("interface", nic.interfaceName());
        object.put("rdma", nic.rdmaName());
        object.put("state", nic.state());
        object.put("megabits", nic.megabits());
        object.put("pci", nic.path().map(TopoJson::pci).orElse(null));
        return object;
    }

    private static Map<String, Object> pci(PciPath path) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("address", path.address());
        object.put("root", path.root());
        object.put("bridges", path.bridges());
        object.put("node", path.node());
        return object;
    }

    /** Every pair once. */
    private static List<Object> links(Machine machine) {
        List<Object> links = new ArrayList<>();
        List<Gpu> gpus = machine.gpus();
        for (int a = 0; a < gpus.size(); a++) {
            for (int b = a + 1; b < gpus.size(); b++) {
                links.add(link(gpus.get(a).label(), gpus.get(b).label(), machine.between(gpus.get(a), gpus.get(b))));
            }
            for (Nic nic : machine.nics()) {
                String from = gpus.get(a).label();
                PciPath path = gpus.get(a).path();
                nic.path()
                        .ifPresent(to -> links.add(link(
                                from, nic.label(), Distance.between(path, to).label())));
            }
        }
        return links;
    }

    private static Map<String, Object> link(String from, String to, String kind) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("from", from);
        object.put("to", to);
        object.put("link", kind);
        return object;
    }
}
