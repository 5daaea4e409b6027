package dev.mininccl.transport.ipc;

import dev.mininccl.core.lane.LaneLayout;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * What a peer needs in order to tell whether it shares this rank's folder, and to find the pair's file in it.
 *
 * @param process this rank's process
 * @param device of the folder
 * @param inode of the folder
 * @param secret random, one for each transport
 * @param layout of the lanes
 * @param channels how many links a pair has
 */
record ShmAddress(ProcessIdentity process, long device, long inode, UUID secret, LaneLayout layout, int channels) {

    /** Changes with the layout of the address, the shared file or the lanes. */
    private static final int FORMAT = 1;

    private static final int BYTES = 9 * Long.BYTES + 5 * Integer.BYTES;

    static ShmAddress of(SharedFolder folder, LaneLayout layout, int channels) {
        // A random UUID has 122 random bits, from SecureRandom.
        return new ShmAddress(folder.self(), folder.device(), folder.inode(), UUID.randomUUID(), layout, channels);
    }

    byte[] encode() {
        ByteBuffer to = ByteBuffer.allocate(BYTES).putInt(FORMAT);
        put(to, process.boot());
        to.putLong(process.pidNamespace())
                .putLong(process.pid())
                .putLong(process.start())
                .putInt(process.user());
        to.putLong(device).putLong(inode);
        put(to, secret);
        return to.putInt(layout.depth())
                .putInt(layout.slotBytes())
                .putInt(channels)
                .array();
    }

    /** Reads an address; {@code null} if it is of another version. */
    static ShmAddress decode(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || from.getInt() != FORMAT) {
            return null;
        }
        UUID boot = uuid(from);
        ProcessIdentity process =
                new ProcessIdentity(boot, from.getLong(), from.getLong(), from.getLong(), from.getInt());
        long device = from.getLong();
        long inode = from.getLong();
        UUID secret = uuid(from);
        int depth = from.getInt();
        int slotBytes = from.getInt();
        return LaneLayout.valid(depth, slotBytes)
                ? new ShmAddress(process, device, inode, secret, new LaneLayout(depth, slotBytes), from.getInt())
                : null;
    }

    /** Why a peer cannot be met, the same on both sides; {@code null} if it can. */
    String whyNot(ShmAddress peer) {
        if (peer == null) {
            return "another version of Mini-NCCL";
        }
        if (!peer.process.boot().equals(process.boot())) {
            return "another machine";
        }
        if (peer.process.user() != process.user()) {
            return "another user: " + process.user() + " here, " + peer.process.user() + " there";
        }
        if (peer.device != device || peer.inode != inode) {
            return "the same machine, but another /dev/shm (containers share one with --ipc=host)";
        }
        return peer.layout.equals(layout) && peer.channels == channels
                ? null
                : "lanes differ: " + lanes() + " here, " + peer.lanes() + " there";
    }

    private String lanes() {
        return channels + " x " + layout.depth() + " slots of " + layout.slotBytes() + " B";
    }

    /** Names the file of a pair: unknown to whoever does not know both secrets. */
    static byte[] pairSecret(ShmAddress lower, ShmAddress higher) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(lower.encode());
            return digest.digest(higher.encode());
        } catch (NoSuchAlgorithmException e) {
            // Every Java platform has it.
            throw new AssertionError(e);
        }
    }

    private static void put(ByteBuffer to, UUID value) {
        to.putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
    }

    private static UUID uuid(ByteBuffer from) {
        return new UUID(from.getLong(), from.getLong());
    }
}
