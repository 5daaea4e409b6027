package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.List;

/**
 * A port and the GID that a transport would use, for reports.
 *
 * @param device the device's name
 * @param port the port, from 1
 * @param gid the entry by which peers would reach it
 */
public record ChosenPort(String device, int port, GidEntry gid) {

    /**
     * Chooses as a transport with enough channels would, and closes what it opened.
     *
     * @param devices the devices of this machine
     * @param settings which devices and GID are wanted
     * @return the choice, at least one port: channel 0 goes over the first, channel 1 over the next, and so on in turn
     * @throws TransportUnavailableException if no port can be used; the message says why
     */
    public static List<ChosenPort> of(DeviceList devices, Settings settings) throws TransportUnavailableException {
        List<Port> ports = PortChoice.open(devices, settings, Integer.MAX_VALUE);
        try {
            return ports.stream()
                    .map(port -> new ChosenPort(port.context().device().name(), port.number(), port.gid()))
                    .toList();
        } finally {
            ports.forEach(Port::close);
        }
    }
}
