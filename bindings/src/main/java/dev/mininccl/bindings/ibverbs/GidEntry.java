package dev.mininccl.bindings.ibverbs;

/**
 * One used entry of a port's GID table.
 *
 * @param port the port, from 1
 * @param index the entry, as queue pairs name it
 * @param gid the identifier
 * @param type how packets look that carry it
 * @param interfaceIndex the network interface behind it, 0 if not known
 */
public record GidEntry(int port, int index, Gid gid, Type type, int interfaceIndex) {
    /** How packets look on the wire. */
    public enum Type {
        /** InfiniBand. */
        INFINIBAND,
        /** RoCE v1: Ethernet frames, within one segment. */
        ROCE_V1,
        /** RoCE v2: UDP, routable. */
        ROCE_V2;

        static Type of(int code) {
            return code == 1 ? ROCE_V1 : code == 2 ? ROCE_V2 : INFINIBAND;
        }
    }
}
