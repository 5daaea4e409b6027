package dev.mininccl.bindings.ibverbs;

/**
 * How packets reach the peer's port.
 *
 * @param port own port, from 1
 * @param gidIndex own entry of the GID table, whose type the packets have; -1 to go by local identifier alone, within one
 *     InfiniBand subnet
 * @param gid the peer's GID
 * @param lid the peer's local identifier, 0 on Ethernet
 * @param mtu the smaller of both ports'
 * @param trafficClass traffic class (DSCP times 4 for RoCE v2), 0 to 255
 * @param serviceLevel service level (priority), 0 to 15
 */
public record RemotePath(int port, int gidIndex, Gid gid, int lid, Mtu mtu, int trafficClass, int serviceLevel) {
    /** Queue pairs name entries of the GID table by a byte, though tables may be longer. */
    public static final int LARGEST_GID_INDEX = 255;

    /** Checks the ranges. */
    public RemotePath {
        inRange("port", port, 1, 255);
        inRange("gidIndex", gidIndex, -1, LARGEST_GID_INDEX);
        inRange("lid", lid, 0, 0xffff);
        inRange("trafficClass", trafficClass, 0, 255);
        inRange("serviceLevel", serviceLevel, 0, 15);
    }

    /**
     * A path over RoCE without a class or level of service of its own.
     *
     * @param own own entry of the GID table
     * @param gid the peer's GID
     * @param mtu the smaller of both ports'
     * @return the path
     */
    public static RemotePath roce(GidEntry own, Gid gid, Mtu mtu) {
        return new RemotePath(own.port(), own.index(), gid, 0, mtu, 0, 0);
    }

    static void inRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " " + value + " is not in " + least + ".." + most);
        }
    }
}
