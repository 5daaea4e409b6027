package dev.mininccl.core.spi;

/** Creates and maps memory that all ranks of one machine reach directly. */
public interface Windows {

    /**
     * Allocates memory that peers can map.
     *
     * @param bytes how much, more than 0
     * @return the window, zeroed, page-aligned, to be closed by the caller
     * @throws TransportUnavailableException if there is not enough room; the message names the size needed
     */
    Window create(long bytes) throws TransportUnavailableException;

    /** Memory of this rank that peers can map. */
    interface Window extends AutoCloseable {

        /**
         * Where the memory lies in this process.
         *
         * @return page-aligned
         */
        long address();

        /**
         * Its size.
         *
         * @return bytes as asked for
         */
        long bytes();

        /**
         * What a peer needs to map it.
         *
         * @return opaque bytes
         */
        byte[] handle();

        /**
         * Maps a peer's window into this process. It is unmapped when this window is closed.
         *
         * @param peer the peer's rank
         * @param handle the peer's {@link #handle}
         * @return where the peer's window lies in this process
         * @throws TransportUnavailableException if it cannot be mapped
         */
        long map(int peer, byte[] handle) throws TransportUnavailableException;

        /** All ranks have mapped it: its name may go now. */
        void settled();

        /** Idempotent, never throws. */
        @Override
        void close();
    }
}
