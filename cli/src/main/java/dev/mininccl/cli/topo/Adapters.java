package dev.mininccl.cli.topo;

import dev.mininccl.cli.doctor.SystemFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the network adapters: interfaces and RDMA devices of one PCI function, or of one software device, are one adapter. */
final class Adapters {

    private static final String NET = "sys/class/net/";
    private static final String RDMA = "sys/class/infiniband/";

    private final SystemFiles files;

    Adapters(SystemFiles files) {
        this.files = files;
    }

    List<Nic> read() {
        TreeMap<String, String> rdmaByInterface = new TreeMap<>();
        List<String> alone = new ArrayList<>();
        for (String device : files.names(RDMA)) {
            partner(device).ifPresentOrElse(name -> rdmaByInterface.put(name, device), () -> alone.add(device));
        }
        List<Nic> nics = new ArrayList<>();
        for (String name : files.names(NET)) {
            if (!name.equals("lo") && files.exists(NET + name + "/operstate")) {
                nics.add(nic(nics.size(), name, rdmaByInterface.getOrDefault(name, "")));
            }
        }
        alone.forEach(device -> nics.add(nic(nics.size(), "", device)));
        return nics;
    }

    /** The interface that an RDMA device belongs to: of its PCI function, or for software devices its parent. */
    private Optional<String> partner(String device) {
        Optional<String> parent = files.line(RDMA + device + "/parent");
        return parent.isPresent()
                ? parent
                : files.names(RDMA + device + "/device/net").stream().findFirst();
    }

    private Nic nic(int place, String name, String rdma) {
        String folder = name.isEmpty() ? RDMA + rdma : NET + name;
        Optional<PciPath> path = files.linkTarget(folder + "/device").flatMap(address -> PciPath.of(files, address));
        List<String> state = new ArrayList<>();
        long megabits = 0;
        if (!name.isEmpty()) {
            state.add(files.line(NET + name + "/operstate").orElse("unknown"));
            megabits = files.line(NET + name + "/speed")
                    .filter(text -> text.matches("\\d+"))
                    .map(Long::parseLong)
                    .orElse(0L);
        }
        if (!rdma.isEmpty()) {
            String port = RDMA + rdma + "/ports/1/";
            // As "4: ACTIVE" and "100 Gb/sec (4X EDR)".
            state.add(files.line(port + "link_layer").orElse("RDMA") + " port "
                    + files.line(port + "state").orElse("unknown").replaceFirst("^\\d+: ", ""));
            if (megabits == 0) {
                megabits = files.line(port + "rate")
                        .filter(text -> text.matches("\\d+(\\.\\d+)? Gb/sec.*"))
                        .map(text -> (long) (1000 * Double.parseDouble(text.replaceFirst(" .*", ""))))
                        .orElse(0L);
            }
        }
        return new Nic("NIC" + place, name, rdma, String.join(", ", state), megabits, path);
    }
}
