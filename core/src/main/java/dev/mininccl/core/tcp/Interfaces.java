package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.SockAddr;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * This machine's addresses that others may reach.
 *
 * @param addresses with their subnets: by interface, bridges for local containers and virtual machines last
 */
record Interfaces(List<InterfaceAddress> addresses) {

    private static final Pattern BRIDGES = Pattern.compile("(docker|virbr|br-|cni|podman|lxc|veth).*");

    private static final Comparator<InterfaceAddress> IPV4_FIRST =
            Comparator.comparing(each -> each.getAddress() instanceof Inet6Address);

    /** Empty where there are none, or the JVM cannot tell. */
    static Interfaces ofThisMachine() {
        try {
            List<NetworkInterface> up = new ArrayList<>();
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (each.isUp() && !each.isLoopback()) {
                    up.add(each);
                }
            }
            up.sort(Comparator.comparing(each -> BRIDGES.matcher(each.getName()).matches()));
            return new Interfaces(up.stream()
                    .flatMap(each -> each.getInterfaceAddresses().stream().sorted(IPV4_FIRST))
                    .filter(Interfaces::routable)
                    .toList());
        } catch (SocketException e) {
            return new Interfaces(List.of());
        }
    }

    /** Link-local IPv6 addresses mean something only together with the other machine's interface. */
    private static boolean routable(InterfaceAddress each) {
        InetAddress address = each.getAddress();
        return !(address instanceof Inet6Address && address.isLinkLocalAddress());
    }

    /** Every address with the ports of the doors of its family. */
    List<SockAddr> behind(List<Door> doors) {
        List<SockAddr> published = new ArrayList<>();
        for (InterfaceAddress each : addresses) {
            for (Door door : doors) {
                if (door.address() instanceof SockAddr.Inet bound && sameFamily(bound, each.getAddress())) {
                    published.add(withPort(each.getAddress(), bound.address().getPort()));
                }
            }
        }
        return published;
    }

    /** Without the interface that the JDK adds to IPv6 addresses: its number means nothing elsewhere. */
    private static SockAddr withPort(InetAddress address, int port) {
        try {
            return SockAddr.of(new InetSocketAddress(InetAddress.getByAddress(address.getAddress()), port));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean sameFamily(SockAddr.Inet bound, InetAddress address) {
        return bound.address().getAddress().getClass() == address.getClass();
    }

    /** A peer's addresses, those in a subnet of this machine first. */
    List<SockAddr> nearestFirst(List<SockAddr> peer) {
        List<SockAddr> sorted = new ArrayList<>(peer);
        sorted.sort(Comparator.comparing(each ->
                !(each instanceof SockAddr.Inet inet && near(inet.address().getAddress()))));
        return sorted;
    }

    /** Whether an address is in a subnet of this machine. */
    private boolean near(InetAddress address) {
        return addresses.stream().anyMatch(each -> sameSubnet(each, address.getAddress()));
    }

    private static boolean sameSubnet(InterfaceAddress local, byte[] address) {
        byte[] mine = local.getAddress().getAddress();
        if (mine.length != address.length) {
            return false;
        }
        int bits = local.getNetworkPrefixLength();
        for (int i = 0; i < bits; i++) {
            int mask = 0x80 >> (i % 8);
            if (((mine[i / 8] ^ address[i / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
