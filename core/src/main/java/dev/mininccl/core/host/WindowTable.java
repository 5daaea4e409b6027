package dev.mininccl.core.host;

import java.util.Arrays;

/**
 * The memory that all ranks have mapped: for each window this rank's range and where each peer's lies in this process.
 * Grown by the collective {@code allocate}, in the same order on all ranks; read by operations.
 */
public final class WindowTable {

    /**
     * One window of every rank.
     *
     * @param rank this rank
     * @param mapped where each rank's lies in this process
     * @param bytes the size of each rank's
     */
    public record Entry(int rank, long[] mapped, long[] bytes) {

        long offset(long address) {
            return address - mapped[rank];
        }

        /** Whether so many bytes from an offset on lie in a rank's window. */
        boolean holds(int ofRank, long offset, long length) {
            return offset >= 0 && offset <= bytes[ofRank] - length;
        }

        /** Where an offset of a rank's window lies in this process. */
        long at(int ofRank, long offset) {
            return mapped[ofRank] + offset;
        }
    }

    // Replaced as a whole, so that a reader sees all of an entry or none.
    private volatile Entry[] entries = {};

    /**
     * Adds the window that all ranks just made.
     *
     * @param entry the window
     */
    public synchronized void add(Entry entry) {
        Entry[] grown = Arrays.copyOf(entries, entries.length + 1);
        grown[entries.length] = entry;
        entries = grown;
    }

    boolean isEmpty() {
        return entries.length == 0;
    }

    /** The index of the window of this rank that holds a whole range, or -1. */
    int find(long address, long bytes) {
        Entry[] all = entries;
        for (int i = 0; i < all.length; i++) {
            if (all[i].holds(all[i].rank, all[i].offset(address), bytes)) {
                return i;
            }
        }
        return -1;
    }

    /** A window by its index. */
    Entry get(int window) {
        return entries[window];
    }

    /** Where a range of a rank's window lies in this process; 0 if there is none such: what a peer says is checked before use. */
    long locate(int window, int rank, long offset, long bytes) {
        Entry[] all = entries;
        return window >= 0 && window < all.length && all[window].holds(rank, offset, bytes)
                ? all[window].at(rank, offset)
                : 0;
    }
}
