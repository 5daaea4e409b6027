package dev.mininccl.core.local;

import dev.mininccl.core.lane.LaneLayout;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * What tells whether two ranks live in one process, and whether they agree on their lanes.
 *
 * @param process random, one for each time this class is loaded
 * @param transport random, one for each transport
 * @param layout of the lanes
 * @param channels how many links a pair has
 * @param reads whether this rank reads slices by reference
 */
record LocalAddress(UUID process, UUID transport, LaneLayout layout, int channels, boolean reads) {

    private static final UUID THIS_PROCESS = UUID.randomUUID();
    private static final int BYTES = 4 * Long.BYTES + 4 * Integer.BYTES;

    static LocalAddress create(LaneLayout layout, int channels, boolean reads) {
        return new LocalAddress(THIS_PROCESS, UUID.randomUUID(), layout, channels, reads);
    }

    byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putLong(process.getMostSignificantBits())
                .putLong(process.getLeastSignificantBits())
                .putLong(transport.getMostSignificantBits())
                .putLong(transport.getLeastSignificantBits())
                .putInt(layout.depth())
                .putInt(layout.slotBytes())
                .putInt(channels)
                .putInt(reads ? 1 : 0)
                .array();
    }

    /** Why a peer with a given address cannot be reached; {@code null} if it can. */
    String whyNot(byte[] peer) {
        if (peer.length != BYTES) {
            return "its address has " + peer.length + " bytes instead of " + BYTES + ": another version of Mini-NCCL";
        }
        LocalAddress other = decode(ByteBuffer.wrap(peer));
        if (!other.process.equals(process)) {
            return "another process";
        }
        return other.layout.equals(layout) && other.channels == channels
                ? null
                : "lanes differ: " + lanes() + " here, " + other.lanes() + " there";
    }

    static LocalAddress decode(ByteBuffer from) {
        return new LocalAddress(
                new UUID(from.getLong(), from.getLong()),
                new UUID(from.getLong(), from.getLong()),
                new LaneLayout(from.getInt(), from.getInt()),
                from.getInt(),
                from.getInt() == 1);
    }

    private String lanes() {
        return channels + " x " + layout.depth() + " slots of " + layout.slotBytes() + " B";
    }
}
