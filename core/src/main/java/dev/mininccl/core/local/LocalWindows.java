package dev.mininccl.core.local;

import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Memory that ranks of this process share: to map it is to hold it. */
final class LocalWindows implements Windows {

    @Override
    public Window create(long bytes) throws TransportUnavailableException {
        UUID key = UUID.randomUUID();
        try {
            return new LocalWindow(key, LocalMemory.hold(key, bytes), bytes);
        } catch (OutOfMemoryError e) {
            throw new TransportUnavailableException(
                    "window of " + bytes + " B: no room in native memory; raise -XX:MaxDirectMemorySize", e);
        }
    }

    /** The window, and all of the peers' windows that it maps. */
    private static final class LocalWindow implements Window {

        private final UUID key;
        private final long address;
        private final long bytes;
        private final List<LocalMemory> held = new ArrayList<>();

        LocalWindow(UUID key, LocalMemory memory, long bytes) {
            this.key = key;
            this.address = memory.address();
            this.bytes = bytes;
            held.add(memory);
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public byte[] handle() {
            return ByteBuffer.allocate(2 * Long.BYTES)
                    .putLong(key.getMostSignificantBits())
                    .putLong(key.getLeastSignificantBits())
                    .array();
        }

        @Override
        public long map(int peer, byte[] handle) throws TransportUnavailableException {
            LocalMemory memory =
                    handle.length == 2 * Long.BYTES ? LocalMemory.find(key(ByteBuffer.wrap(handle))) : null;
            if (memory == null) {
                throw new TransportUnavailableException(
                        "rank " + peer + "'s window is not, or no longer, in this process");
            }
            held.add(memory);
            return memory.address();
        }

        private static UUID key(ByteBuffer handle) {
            return new UUID(handle.getLong(), handle.getLong());
        }

        /** It has no name. */
        @Override
        public void settled() {}

        @Override
        public void close() {
            held.forEach(LocalMemory::release);
            held.clear();
        }
    }
}
