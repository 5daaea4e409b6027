package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
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
