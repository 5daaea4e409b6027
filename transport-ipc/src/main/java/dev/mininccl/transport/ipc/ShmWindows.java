package dev.mininccl.transport.ipc;

import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Memory that processes of one machine share: one file for each window. */
final class ShmWindows implements Windows {

    private final SharedFolder folder;
    private final int ranks;

    /** All of so many ranks will make windows alike. */
    ShmWindows(SharedFolder folder, int ranks) {
        this.folder = folder;
        this.ranks = ranks;
    }

    @Override
    public Window create(long bytes) throws TransportUnavailableException {
        long whole = SharedFile.pages(bytes);
        return new ShmWindow(SharedFile.create(folder.freshFile(), whole, ranks * whole), bytes);
    }

    /** This rank's file, and all of the peers' files that it maps. */
    private final class ShmWindow implements Window {

        private final SharedFile file;
        private final long bytes;
        private final List<SharedFile> peers = new ArrayList<>();

        ShmWindow(SharedFile file, long bytes) {
            this.file = file;
            this.bytes = bytes;
        }

        @Override
        public long address() {
            return file.address();
        }

        @Override
        public long bytes() {
            return bytes;
        }

        /** The size and the name of the file. */
        @Override
        public byte[] handle() {
            byte[] name = file.name().getBytes(StandardCharsets.US_ASCII);
            return ByteBuffer.allocate(Long.BYTES + name.length)
                    .putLong(SharedFile.pages(bytes))
                    .put(name)
                    .array();
        }

        @Override
        public long map(int peer, byte[] handle) throws TransportUnavailableException {
            if (handle.length <= Long.BYTES) {
                throw new TransportUnavailableException(
                        "rank " + peer + "'s window: a handle of " + handle.length + " B");
            }
            long size = ByteBuffer.wrap(handle).getLong();
            String name = new String(handle, Long.BYTES, handle.length - Long.BYTES, StandardCharsets.US_ASCII);
            Path path = folder.file(name)
                    .orElseThrow(() -> new TransportUnavailableException("rank " + peer + "'s window: a bad name"));
            SharedFile mapped = SharedFile.open(path, size);
            if (mapped == null) {
                throw new TransportUnavailableException(
                        "rank " + peer + "'s window is gone, or is not " + size + " B: " + path);
            }
            peers.add(mapped);
            return mapped.address();
        }

        @Override
        public void settled() {
            file.unlink();
        }

        @Override
        public void close() {
            for (SharedFile peer : peers) {
                peer.unmap();
            }
            peers.clear();
            file.close();
        }
    }
}
