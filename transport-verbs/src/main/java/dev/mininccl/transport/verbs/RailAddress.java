package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.Mtu;
import java.nio.ByteBuffer;

/**
 * A port of a rank, as peers must know it.
 *
 * @param gid by which it is reached
 * @param lid 0 on Ethernet
 * @param mtu of the port
 * @param ethernet whether it is RoCE
 */
record RailAddress(Gid gid, int lid, Mtu mtu, boolean ethernet) {

    static final int BYTES = Gid.BYTES + 3 * Integer.BYTES;

    void write(ByteBuffer to) {
        to.putLong(gid.high()).putLong(gid.low()).putInt(lid).putInt(mtu.code()).putInt(ethernet ? 1 : 0);
    }

    static RailAddress read(ByteBuffer from) {
        return new RailAddress(
                new Gid(from.getLong(), from.getLong()), from.getInt(), Mtu.of(from.getInt()), from.getInt() != 0);
    }
}
