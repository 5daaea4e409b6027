package dev.mininccl.cli.doctor;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.ibverbs.Context;
import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceAttributes;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.transport.verbs.ChosenPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What libibverbs says.
 *
 * @param absent why libibverbs cannot be called, or empty
 * @param devices the devices it offers
 * @param chosen the ports and GIDs that a transport would use, in the order in which channels take them
 * @param refusal why it would use none, or empty
 */
record Rdma(Optional<String> absent, List<Adapter> devices, List<ChosenPort> chosen, Optional<String> refusal) {

    /**
     * One device.
     *
     * @param name the kernel's name
     * @param software whether no hardware is behind it
     * @param vendorId the vendor's OUI, or what a software device has in its place
     * @param firmware the firmware's version, possibly empty
     * @param ports its ports
     * @param refusal why it cannot be opened, or empty
     */
    record Adapter(
            String name,
            boolean software,
            int vendorId,
            String firmware,
            List<PortView> ports,
            Optional<String> refusal) {}

    /**
     * One port.
     *
     * @param attributes what it says about itself
     * @param gids the used entries of its GID table
     */
    record PortView(PortAttributes attributes, List<GidEntry> gids) {}

    static Rdma look(Settings settings) {
        Optional<String> absent = NativeLibraries.ibverbs().reason();
        if (absent.isPresent()) {
            return new Rdma(absent, List.of(), List.of(), absent);
        }
        try (DeviceList list = DeviceList.open()) {
            List<Adapter> devices = list.devices().stream().map(Rdma::adapter).toList();
            try {
                return new Rdma(absent, devices, ChosenPort.of(list, settings), Optional.empty());
            } catch (TransportUnavailableException e) {
                return new Rdma(absent, devices, List.of(), Optional.of(e.getMessage()));
            }
        }
    }

    private static Adapter adapter(Device device) {
        try (Context context = device.open()) {
            DeviceAttributes attributes = context.attributes();
            List<PortView> ports = new ArrayList<>();
            for (int port = 1; port <= attributes.ports(); port++) {
                ports.add(new PortView(context.port(port), context.gids(port)));
            }
            return new Adapter(
                    device.name(),
                    device.software(),
                    attributes.vendorId(),
                    attributes.firmware(),
                    ports,
                    Optional.empty());
        } catch (VerbsException e) {
            return new Adapter(device.name(), device.software(), 0, "", List.of(), Optional.of(e.getMessage()));
        }
    }
}
