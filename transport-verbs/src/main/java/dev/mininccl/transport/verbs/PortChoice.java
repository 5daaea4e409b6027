package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Context;
import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the port to use: the one named, {@code DEVICE} or {@code DEVICE:PORT}, else hardware before software, then the fastest. */
final class PortChoice {

    private final Settings settings;
    private final String wantedDevice;
    /** 0 for any. */
    private final int wantedPort;

    private final List<String> refusals = new ArrayList<>();
    private Port best;

    private PortChoice(Settings settings) throws TransportUnavailableException {
        this.settings = settings;
        String wanted = settings.text(Setting.NET_DEVICE);
        int colon = wanted.indexOf(':');
        wantedDevice = colon < 0 ? wanted : wanted.substring(0, colon);
        try {
            wantedPort = colon < 0 ? 0 : Integer.parseInt(wanted.substring(colon + 1));
        } catch (NumberFormatException e) {
            throw new TransportUnavailableException(named() + " is not auto, DEVICE or DEVICE:PORT", e);
        }
    }

    /** Opens the port; the caller closes it, before the list. */
    static Port open(DeviceList list, Settings settings) throws TransportUnavailableException {
        if (list.reason().isPresent()) {
            throw new TransportUnavailableException(list.reason().get());
        }
        return new PortChoice(settings).among(list.devices());
    }

    private Port among(List<Device> devices) throws TransportUnavailableException {
        for (Device device : devices) {
            if (wantedDevice.equals("auto") || wantedDevice.equals(device.name())) {
                consider(device);
            }
        }
        if (best == null) {
            throw new TransportUnavailableException(
                    refusals.isEmpty()
                            ? named() + ": no such device, there are " + devices
                            : String.join("; ", refusals));
        }
        return best;
    }

    private String named() {
        return Setting.NET_DEVICE.variable() + "=" + settings.text(Setting.NET_DEVICE);
    }

    private void consider(Device device) {
        Context context;
        try {
            context = device.open();
        } catch (VerbsException e) {
            refusals.add(e.getMessage());
            return;
        }
        Optional<Port> found = Optional.empty();
        try {
            found = portOf(context);
        } catch (VerbsException e) {
            refusals.add(e.getMessage());
        }
        if (found.isPresent() && (best == null || better(found.get(), best))) {
            if (best != null) {
                best.close();
            }
            best = found.get();
        } else {
            context.close();
        }
    }

    private Optional<Port> portOf(Context context) {
        Port chosen = null;
        for (int number = 1; number <= context.attributes().ports(); number++) {
            if (wantedPort != 0 && wantedPort != number) {
                continue;
            }
            PortAttributes attributes = context.port(number);
            if (!attributes.active()) {
                refusals.add(context + ":" + number + " is " + attributes.state());
                continue;
            }
            Optional<GidEntry> gid = GidChoice.of(settings, context.gids(number));
            if (gid.isEmpty()) {
                refusals.add(context + ":" + number + " has no GID "
                        + (GidChoice.automatic(settings) ? "" : settings.text(Setting.GID_INDEX)));
            } else {
                Port port = new Port(context, attributes, gid.get());
                chosen = chosen == null || better(port, chosen) ? port : chosen;
            }
        }
        return Optional.ofNullable(chosen);
    }

    private static boolean better(Port a, Port b) {
        boolean software = a.context().device().software();
        return software == b.context().device().software()
                ? a.attributes().gigabits() > b.attributes().gigabits()
                : !software;
    }
}
