package dev.mininccl.core.tcp;

import dev.mininccl.bindings.posix.IoVector;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.SendLane;

/**
 * Sends slices from where they lie: slice i over socket i modulo the number of sockets, header and payload in one call.
 * A slice counts as released when the kernel has taken its last byte, also a small one: a rank which leaves an operation
 * owes its peers nothing that only its next call would send.
 */
final class SocketSendLane implements SendLane {

    /** Up to here a copy behind the header is cheaper than a second piece, by 0.2 microseconds of 4.6 on loopback. */
    private static final int SMALL = 1024;

    /** What each socket needs of the memory given. */
    static final int HEAD_BYTES = SliceHeader.BYTES + SMALL;

    private final Socket[] sockets;
    private final LinkFailure failure;
    private final int slotBytes;
    private final int depth;

    /** The slices under way, by slice number modulo depth. */
    private final long[] addresses;

    private final int[] lengths;
    private final long[] fingerprints;

    /** For each socket: the slice it sends next, and how much of it, header included, the kernel has taken. */
    private final long[] next;

    private final int[] sent;
    /** For each socket a header with room for a small slice behind it. */
    private final long heads;

    private final IoVector pieces = new IoVector(2);
    private long offered;
    private long released;

    SocketSendLane(Socket[] sockets, LinkFailure failure, int slotBytes, int depth, long heads) {
        this.sockets = sockets;
        this.failure = failure;
        this.slotBytes = slotBytes;
        this.depth = depth;
        this.heads = heads;
        addresses = new long[depth];
        lengths = new int[depth];
        fingerprints = new long[depth];
        next = new long[sockets.length];
        sent = new int[sockets.length];
        for (int socket = 0; socket < sockets.length; socket++) {
            next[socket] = socket;
        }
    }

    @Override
    public int slotBytes() {
        return slotBytes;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int referenceBytes() {
        return 0;
    }

    @Override
    public boolean offer(long address, int bytes, long fingerprint) {
        if (offered - released >= depth || failure.failed()) {
            return false;
        }
        int place = (int) (offered % depth);
        int socket = (int) (offered % sockets.length);
        addresses[place] = address;
        lengths[place] = bytes;
        fingerprints[place] = fingerprint;
        if (next[socket] == offered++) {
            push(socket);
        }
        return true;
    }

    @Override
    public boolean offerReference(long address, int bytes, long fingerprint) {
        return false;
    }

    @Override
    public long offered() {
        return offered;
    }

    @Override
    public long released() {
        return released;
    }

    @Override
    public boolean progress() {
        if (released == offered || failure.failed()) {
            return false;
        }
        boolean moved = false;
        for (int socket = 0; socket < sockets.length; socket++) {
            if (next[socket] < offered) {
                moved |= push(socket);
            }
        }
        return moved;
    }

    /** Gives the kernel what it takes of a socket's next slice. */
    private boolean push(int socket) {
        int place = (int) (next[socket] % depth);
        int done = sent[socket];
        int left = SliceHeader.BYTES + lengths[place] - done;
        long count = done < SliceHeader.BYTES
                ? begin(socket, place, done)
                : sockets[socket].send(addresses[place] + done - SliceHeader.BYTES, left);
        if (count < 0) {
            failure.take(count, "sending");
            return false;
        }
        sent[socket] = done + (int) count;
        if (count == left) {
            finish(socket);
        }
        return count > 0;
    }

    private long begin(int socket, int place, int done) {
        long head = heads + (long) socket * HEAD_BYTES;
        int bytes = lengths[place];
        SliceHeader.write(head, fingerprints[place], bytes);
        if (bytes <= SMALL) {
            NativeMemory.copy(addresses[place], head + SliceHeader.BYTES, bytes);
            return sockets[socket].send(head + done, SliceHeader.BYTES + bytes - done);
        }
        pieces.set(0, head + done, SliceHeader.BYTES - done);
        pieces.set(1, addresses[place], bytes);
        return sockets[socket].send(pieces);
    }

    private void finish(int socket) {
        sent[socket] = 0;
        next[socket] += sockets.length;
        long least = offered;
        for (long slice : next) {
            least = Math.min(least, slice);
        }
        released = least;
    }
}
