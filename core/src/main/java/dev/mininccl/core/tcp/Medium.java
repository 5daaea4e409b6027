package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What differs between the kinds of sockets. */
enum Medium {
    /** IPv4 and IPv6, between any machines. */
    TCP {
        @Override
        List<Door> doors() {
            List<Door> doors = new ArrayList<>();
            Door.tryBind(anyPort("127.0.0.1"), true)
                    .or(() -> Door.tryBind(anyPort("::1"), true))
                    .ifPresent(doors::add);
            Door.tryBind(anyPort("0.0.0.0"), false).ifPresent(doors::add);
            Door.tryBind(anyPort("::"), false).ifPresent(doors::add);
            return doors;
        }

        @Override
        void prepare(Socket connected) {
            connected.tcpNoDelay(true);
            if (withinMachine(connected)) {
                unpaced(connected);
            }
        }
    },
    /** Unix-domain with an abstract name, between processes that share machine and network namespace. */
    UNIX {
        @Override
        List<Door> doors() {
            SockAddr name = SockAddr.abstractUnix("mini-nccl-" + Token.random().hex());
            return Door.tryBind(name, true).stream().toList();
        }

        @Override
        void prepare(Socket connected) {
            // Nothing: a Unix-domain socket sends at once.
        }
    };

    private static final Logger LOG = System.getLogger("mininccl.tcp");

    private static boolean withinMachine(Socket connected) {
        return connected.peerAddress() instanceof SockAddr.Inet inet
                && inet.address().getAddress().isLoopbackAddress();
    }

    /**
     * A congestion control that paces (BBR, many machines' default) more than doubles the time of 2 MiB on loopback, where
     * there is nothing to be gentle with; Reno does not pace, and is always allowed.
     */
    private static void unpaced(Socket connected) {
        try {
            connected.congestionControl("reno");
        } catch (PosixException e) {
            LOG.log(Level.DEBUG, () -> "left as the machine has it: " + e.getMessage());
        }
    }

    private static SockAddr anyPort(String literal) {
        return SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral(literal), 0));
    }

    /** Binds what this machine has; none where it has nothing. The caller closes them. */
    abstract List<Door> doors();

    /** Sets a connected socket's options. */
    abstract void prepare(Socket connected);

    /** As in {@code MINI_NCCL_TRANSPORT}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
