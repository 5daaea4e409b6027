package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Context;
import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Pinning;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the ports to use: each one named, or the best and those that are as good; see {@link PortRank}. */
final class PortChoice {

    private final List<Device> devices;
    private final Settings settings;
    private final List<String> refusals = new ArrayList<>();
    /** All that were opened, chosen or not. */
    private final List<Port> opened = new ArrayList<>();

    private PortChoice(List<Device> devices, Settings settings) {
        this.devices = devices;
        this.settings = settings;
    }

    /**
     * Opens the ports; the caller closes them, before the list.
     *
     * @param most how many at most
     * @return at least one
     */
    static List<Port> open(DeviceList list, Settings settings, int most) throws TransportUnavailableException {
        if (list.reason().isPresent()) {
            throw new TransportUnavailableException(list.reason().get());
        }
        PortChoice choice = new PortChoice(list.devices(), settings);
        List<Port> chosen = List.of();
        try {
            List<WantedPort> wanted = WantedPort.of(settings);
            List<Port> all = wanted.isEmpty() ? choice.equallyGood() : choice.named(wanted);
            chosen = all.subList(0, Math.min(most, all.size()));
            return chosen;
        } finally {
            choice.opened.removeAll(chosen);
            choice.opened.forEach(Port::close);
        }
    }

    private List<Port> equallyGood() throws TransportUnavailableException {
        for (Device device : devices) {
            usable(device, 0);
        }
        if (opened.isEmpty()) {
            throw new TransportUnavailableException(String.join("; ", refusals));
        }
        return best(opened);
    }

    /** The order is the user's. A port that cannot be used is an error, not one fewer. */
    private List<Port> named(List<WantedPort> wanted) throws TransportUnavailableException {
        List<Port> chosen = new ArrayList<>();
        for (WantedPort one : wanted) {
            Device device = devices.stream()
                    .filter(candidate -> candidate.name().equals(one.device()))
                    .findFirst()
                    .orElseThrow(() -> refused(one, "no such device, there are " + devices));
            refusals.clear();
            List<Port> usable = usable(device, one.port());
            if (usable.isEmpty()) {
                throw refused(one, String.join("; ", refusals));
            }
            chosen.add(best(usable).getFirst());
        }
        return chosen;
    }

    private List<Port> best(List<Port> ports) {
        Pinning pinning = Pinning.of(settings);
        return PortRank.best(ports, port -> PortRank.of(port.context().device(), port.attributes(), pinning));
    }

    private TransportUnavailableException refused(WantedPort port, String why) {
        return new TransportUnavailableException(
                Setting.NET_DEVICE.variable() + "=" + settings.text(Setting.NET_DEVICE) + ": " + port + ": " + why);
    }

    /** Opens the usable ports of a device, or the one with a number. */
    private List<Port> usable(Device device, int wanted) {
        List<Port> usable = new ArrayList<>();
        if (!device.connectable()) {
            refusals.add(device + " is neither InfiniBand nor RoCE");
            return usable;
        }
        int last = Math.max(1, wanted);
        for (int number = last; number <= last; number++) {
            try {
                Context context = device.open();
                Optional<Port> port = Optional.empty();
                try {
                    int ports = context.attributes().ports();
                    last = wanted == 0 ? ports : wanted;
                    port = port(context, number, ports);
                } finally {
                    port.ifPresentOrElse(usable::add, context::close);
                }
            } catch (VerbsException e) {
                refusals.add(e.getMessage());
            }
        }
        opened.addAll(usable);
        return usable;
    }

    private Optional<Port> port(Context context, int number, int ports) {
        if (number > ports) {
            refusals.add(context + " has " + ports + " port(s)");
            return Optional.empty();
        }
        PortAttributes attributes = context.port(number);
        if (!attributes.active()) {
            refusals.add(context + ":" + number + " is " + attributes.state());
            return Optional.empty();
        }
        Optional<GidEntry> gid = GidChoice.of(settings, context.gids(number));
        if (gid.isEmpty()) {
            refusals.add(context + ":" + number + " has no GID "
                    + (GidChoice.automatic(settings) ? "" : settings.text(Setting.GID_INDEX)));
        }
        return gid.map(entry -> new Port(context, attributes, entry));
    }
}
