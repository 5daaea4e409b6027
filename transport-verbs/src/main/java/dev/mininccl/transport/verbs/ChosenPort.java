package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;

/**
 * The port and the GID that a transport would use, for reports.
 *
 * @param device the device's name
 * @param port the port, from 1
 * @param gid the entry by which peers would reach it
 */
public record ChosenPort(String device, int port, GidEntry gid) {

    /**
     * Chooses as a transport would, and closes what it opened.
     *
     * @param devices the devices of this machine
     * @param settings which device and GID are wanted
     * @return the choice
     * @throws TransportUnavailableException if no port can be used; the message says why
     */
    public static ChosenPort of(DeviceList devices, Settings settings) throws TransportUnavailableException {
        try (Port port = PortChoice.open(devices, settings)) {
            return new ChosenPort(port.context().device().name(), port.number(), port.gid());
        }
    }
}
