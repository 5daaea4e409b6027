package dev.mininccl.core.host;

/**
 * The memory that all ranks have mapped: for each window this rank's range and where each peer's lies in this process.
 * Grown by the collective {@code allocate}, in the same order on all ranks; read by operations.
 */
public final class WindowTable {

    /** One window of every rank. */
    private record Entry(long address, long bytes, long[] mapped) {}

    // Replaced as a whole, so that a reader sees all of an entry or none.
    private volatile Entry[] entries = {};

    /**
     * Adds the window that all ranks just made.
     *
     * @param address this rank's own
     * @param bytes its size
     * @param mapped where each rank's lies in this process
     */
    public synchronized void add(long address, long bytes, long[] mapped) {
        Entry[] grown = java.util.Arrays.copyOf(entries, entries.length + 1);
        grown[entries.length] = new Entry(address, bytes, mapped);
        entries = grown;
    }

    boolean isEmpty() {
        return entries.length == 0;
    }

    /** The index of the window that holds a whole range, or -1. */
    int find(long address, long bytes) {
        Entry[] all = entries;
        for (int i = 0; i < all.length; i++) {
            long offset = address - all[i].address;
            if (offset >= 0 && offset <= all[i].bytes - bytes) {
                return i;
            }
        }
        return -1;
    }

    /** How far into a window an address lies. */
    long offset(int window, long address) {
        return address - entries[window].address;
    }

    /** Where an offset of a rank's window lies in this process. */
    long mapped(int window, int rank, long offset) {
        return entries[window].mapped[rank] + offset;
    }

    /** Whether a window with an index exists: what a peer says is checked before use. */
    boolean contains(int window) {
        return window >= 0 && window < entries.length;
    }
}
