package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.lang.foreign.SegmentAllocator;
import java.util.List;

/** Two lanes over the same sockets. */
final class SocketLink implements Link {

    private static final long PAGE = 4096;

    private final Socket[] sockets;
    private final LinkFailure failure;
    private final SocketSendLane send;
    private final SocketReceiveLane receive;
    private final String description;

    /** Owns the sockets; the memory is the caller's. */
    SocketLink(Medium medium, int peer, Socket[] sockets, int slotBytes, int depth, SegmentAllocator memory) {
        this.sockets = sockets;
        for (Socket socket : sockets) {
            medium.prepare(socket);
        }
        String where = where(sockets[0]);
        failure = new LinkFailure(medium.label() + " link to rank " + peer + " at " + where);
        // What is sent before payload, what is received before payload (at the end of its pages), the slot. Allocating
        // writes zeros to every page.
        long heads = roundUp(sockets.length * SocketSendLane.HEAD_BYTES + SliceHeader.BYTES);
        long slab = memory.allocate(heads + slotBytes, PAGE).address();
        send = new SocketSendLane(sockets, failure, slotBytes, depth, slab);
        receive = new SocketReceiveLane(sockets, failure, slab + heads);
        String connections = sockets.length == 1 ? "1 socket" : sockets.length + " sockets";
        description = where + ", " + connections + ", " + depth + " slices of at most " + slotBytes + " B under way";
    }

    private static long roundUp(int bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** The end of an accepted Unix-domain connection that has a name is this one. */
    private static String where(Socket socket) {
        try {
            SockAddr peer = socket.peerAddress();
            boolean unnamed = peer instanceof SockAddr.Unix unix && unix.name().isEmpty();
            return (unnamed ? socket.localAddress() : peer).toString();
        } catch (PosixException e) {
            return "an address that is gone";
        }
    }

    List<Socket> sockets() {
        return List.of(sockets);
    }

    @Override
    public SendLane send() {
        return send;
    }

    @Override
    public ReceiveLane receive() {
        return receive;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        failure.set("closed by this rank");
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
