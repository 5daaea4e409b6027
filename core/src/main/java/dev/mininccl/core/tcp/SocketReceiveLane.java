package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.IoVector;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.ReceiveLane;

/**
 * Receives slices where they are wanted: at the given destination, or in this lane's one slot. Whichever it is, a small
 * slice takes one call: header and slot lie in a row, header and destination are two pieces of one vector.
 */
final class SocketReceiveLane implements ReceiveLane {

    private final Socket[] sockets;
    private final LinkFailure failure;
    private final long slot;
    private final long header;
    private final IoVector pieces = new IoVector(2);

    private int socket;
    private long address;
    private int total;
    private long fingerprint;
    /** How much of the expected slice, header included, has come. */
    private int received;

    /** The slot's address; the header's place is right before it. */
    SocketReceiveLane(Socket[] sockets, LinkFailure failure, long slot) {
        this.sockets = sockets;
        this.failure = failure;
        this.slot = slot;
        this.header = slot - SliceHeader.BYTES;
    }

    @Override
    public void expect(long destination, int bytes, long fingerprint) {
        this.address = destination == 0 ? slot : destination;
        this.total = SliceHeader.BYTES + bytes;
        this.fingerprint = fingerprint;
        this.received = 0;
    }

    @Override
    public long poll() {
        if (failure.failed()) {
            return FAILED;
        }
        if (received < total) {
            long count = receive();
            if (count <= 0) {
                return nothing(count);
            }
            received += (int) count;
        }
        return received < SliceHeader.BYTES ? NOTHING : look();
    }

    private long receive() {
        Socket from = sockets[socket];
        if (address == slot) {
            return from.receive(header + received, total - received);
        }
        if (received < SliceHeader.BYTES) {
            pieces.set(0, header + received, SliceHeader.BYTES - received);
            pieces.set(1, address, total - SliceHeader.BYTES);
            return from.receive(pieces);
        }
        return from.receive(address + received - SliceHeader.BYTES, total - received);
    }

    private long nothing(long count) {
        if (count == 0) {
            failure.set("the peer has closed the connection");
        } else {
            failure.take(count, "receiving");
        }
        return failure.failed() ? FAILED : NOTHING;
    }

    private long look() {
        long verdict = SliceHeader.compare(header, fingerprint, total - SliceHeader.BYTES);
        if (verdict == NOTHING) {
            return received == total ? address : NOTHING;
        }
        if (verdict == FAILED) {
            failure.set("what came is no slice; something else writes to this connection");
        }
        return verdict;
    }

    @Override
    public void release() {
        socket = socket + 1 == sockets.length ? 0 : socket + 1;
    }

    @Override
    public String failure() {
        return failure.text();
    }
}
