package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Context;
import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.Mtu;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.ibverbs.RemotePath;

/**
 * The port that a transport uses. It owns the context.
 *
 * @param context its opened device
 * @param attributes what the port says about itself
 * @param gid the entry by which peers reach it
 */
record Port(Context context, PortAttributes attributes, GidEntry gid) implements AutoCloseable {

    int number() {
        return attributes.port();
    }

    /** Device and number, as the setting that names devices has them. */
    String name() {
        return context.device().name() + ":" + number();
    }

    boolean ethernet() {
        return attributes.linkLayer() == PortAttributes.LinkLayer.ETHERNET;
    }

    RemotePath path(Gid remote, int remoteLid, Mtu remoteMtu) {
        Mtu mtu = attributes.activeMtu().min(remoteMtu);
        if (ethernet()) {
            return RemotePath.roce(gid, remote, mtu);
        }
        return new RemotePath(number(), attributes.routed() ? gid.index() : -1, remote, remoteLid, mtu, 0, 0);
    }

    @Override
    public void close() {
        context.close();
    }

    @Override
    public String toString() {
        return name() + ", GID " + gid.index() + " " + gid.gid();
    }
}
