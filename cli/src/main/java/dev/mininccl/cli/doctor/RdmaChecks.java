package dev.mininccl.cli.doctor;

import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Judges RDMA. A machine without devices is as it should be; one that has some and cannot use them is not. */
final class RdmaChecks {

    private static final String SYSFS = "sys/class/infiniband";
    private static final int RXE = 0xffffff;
    private static final int SIW = 0x626d74;

    private final Rdma rdma;
    private final SystemFiles files;

    RdmaChecks(Rdma rdma, SystemFiles files) {
        this.rdma = rdma;
        this.files = files;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(library());
        for (Rdma.Adapter adapter : rdma.devices()) {
            findings.add(device(adapter));
            adapter.ports().forEach(port -> findings.add(port(adapter, port)));
        }
        if (!rdma.devices().isEmpty()) {
            findings.add(choice());
        }
        return findings;
    }

    private Finding library() {
        String reason = rdma.refusal().orElse("");
        if (!rdma.devices().isEmpty()) {
            return Finding.ok(
                    "ibverbs", "libibverbs.so.1 found, " + rdma.devices().size() + " device(s)");
        }
        String found = rdma.absent().isPresent() ? "libibverbs.so.1 cannot be used" : "libibverbs.so.1 found";
        List<String> kernel = files.names(SYSFS);
        return kernel.isEmpty()
                ? Finding.ok("ibverbs", "no RDMA device, and none is needed: " + found + ": " + reason)
                : Finding.warn(
                        "ibverbs", "the kernel has " + kernel + ", but " + found + " and none is usable", reason);
    }

    private Finding device(Rdma.Adapter adapter) {
        if (adapter.refusal().isPresent()) {
            return Finding.warn(
                    adapter.name(),
                    "cannot be opened: " + adapter.refusal().get(),
                    "allow this user to write /dev/infiniband/uverbs*; in a container pass --device=/dev/infiniband");
        }
        String firmware = adapter.firmware().isEmpty() ? "" : ", firmware " + adapter.firmware();
        return Finding.ok(
                adapter.name(),
                (adapter.software() ? "software, " : "hardware, ") + "provider " + provider(adapter) + firmware);
    }

    private String provider(Rdma.Adapter adapter) {
        return switch (adapter.vendorId()) {
            case RXE -> "rxe (Soft-RoCE)";
            case SIW -> "siw (Soft-iWARP)";
            default ->
                files.linkTarget(SYSFS + "/" + adapter.name() + "/device/driver")
                        .orElse("of vendor 0x" + Integer.toHexString(adapter.vendorId()));
        };
    }

    private Finding port(Rdma.Adapter adapter, Rdma.PortView port) {
        PortAttributes attributes = port.attributes();
        String gids = port.gids().stream()
                .map(gid -> gid.index() + " " + gid.gid() + " " + type(gid) + (chosen(adapter, gid) ? " (chosen)" : ""))
                .collect(Collectors.joining(", "));
        return Finding.ok(
                adapter.name() + ":" + attributes.port(),
                attributes.state() + ", " + layer(attributes) + ", " + attributes.gigabits() + " Gb/s, MTU "
                        + attributes.activeMtu().bytes() + ", " + (gids.isEmpty() ? "no GID" : "GID " + gids));
    }

    private boolean chosen(Rdma.Adapter adapter, GidEntry gid) {
        return rdma.chosen().stream()
                .anyMatch(choice -> choice.device().equals(adapter.name())
                        && choice.gid().port() == gid.port()
                        && choice.gid().index() == gid.index());
    }

    private Finding choice() {
        if (rdma.chosen().isEmpty()) {
            return Finding.warn(
                    "rdma path",
                    "no port can be used: " + rdma.refusal().orElse("no reason given"),
                    "bring a port up (ip link set INTERFACE up), give its interface an address, or name ports in"
                            + " MINI_NCCL_NET_DEVICE");
        }
        String ports = rdma.chosen().stream()
                .map(port -> port.device() + ":" + port.port() + " by GID "
                        + port.gid().index() + ", " + type(port.gid()))
                .collect(Collectors.joining("; "));
        return Finding.ok("rdma path", ports + (rdma.chosen().size() > 1 ? "; channels take them in turn" : ""));
    }

    private static String type(GidEntry gid) {
        return switch (gid.type()) {
            case ROCE_V2 -> "RoCE v2";
            case ROCE_V1 -> "RoCE v1";
            case INFINIBAND -> "InfiniBand";
        };
    }

    private static String layer(PortAttributes attributes) {
        return attributes.linkLayer() == PortAttributes.LinkLayer.ETHERNET ? "Ethernet" : "InfiniBand";
    }
}
