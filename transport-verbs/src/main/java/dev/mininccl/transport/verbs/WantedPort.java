package dev.mininccl.transport.verbs;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.List;

/**
 * One entry of the setting that names devices: {@code DEVICE} or {@code DEVICE:PORT}.
 *
 * @param device the kernel's name
 * @param port from 1, 0 for the device's best
 */
record WantedPort(String device, int port) {

    private static final int MOST_PORTS = 255;

    /** The entries in their order; none for {@code auto}. */
    static List<WantedPort> of(Settings settings) throws TransportUnavailableException {
        String text = settings.text(Setting.NET_DEVICE).strip();
        List<WantedPort> wanted = new ArrayList<>();
        if (!text.equalsIgnoreCase("auto")) {
            for (String entry : text.split(",", -1)) {
                wanted.add(parse(entry.strip(), text));
            }
        }
        return wanted;
    }

    private static WantedPort parse(String entry, String text) throws TransportUnavailableException {
        int colon = entry.indexOf(':');
        String device = colon < 0 ? entry : entry.substring(0, colon);
        int port = colon < 0 ? 0 : number(entry.substring(colon + 1));
        if (device.isEmpty() || port < 0) {
            throw new TransportUnavailableException(Setting.NET_DEVICE.variable() + "=" + text + ": '" + entry
                    + "' is not auto, DEVICE or DEVICE:PORT with a port of 1 to " + MOST_PORTS);
        }
        return new WantedPort(device, port);
    }

    /** Less than 0 for what is no port. */
    private static int number(String text) {
        try {
            int port = Integer.parseInt(text);
            return port >= 1 && port <= MOST_PORTS ? port : -1;
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    @Override
    public String toString() {
        return port == 0 ? device : device + ":" + port;
    }
}
