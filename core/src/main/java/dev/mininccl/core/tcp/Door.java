package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import java.util.Optional;

/**
 * A socket where peers knock. It has its address from the beginning, but nobody can connect before {@link #listen}: that
 * of a job on one machine never opens to the network.
 *
 * @param socket bound
 * @param address where it is bound, with the port the kernel chose
 * @param nearby whether it is for ranks with the same host identity
 */
record Door(Socket socket, SockAddr address, boolean nearby) {

    private static final int BACKLOG = 1024;

    static Door bind(SockAddr address, boolean nearby) {
        Socket socket = Socket.open(address.family());
        try {
            socket.bind(address);
            return new Door(socket, socket.localAddress(), nearby);
        } catch (PosixException e) {
            socket.close();
            throw e;
        }
    }

    /** Empty where the machine lacks the address or its family. */
    static Optional<Door> tryBind(SockAddr address, boolean nearby) {
        try {
            return Optional.of(bind(address, nearby));
        } catch (PosixException e) {
            return Optional.empty();
        }
    }

    void listen() {
        socket.listen(BACKLOG);
    }
}
