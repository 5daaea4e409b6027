package dev.mininccl.core.gpu;

/**
 * Device memory that all ranks allocated together and that each of them has mapped: what lies at an offset here lies at the same
 * offset at the others.
 *
 * @param arenas the allocations, one a rank
 * @param index its place in the order of allocations, the same on all ranks
 * @param base this rank's own
 * @param bytes the size of each
 */
record SymmetricMemory(PeerArenas arenas, int index, long base, long bytes) {

    boolean holds(long address, long size) {
        return address >= base && address - base <= bytes - size;
    }

    /** Where a rank has what this rank has at an address, as mapped here. */
    long at(int rank, long address) {
        return arenas.deviceAddresses()[rank] + (address - base);
    }

    /** What tells one place from another, the same on all ranks. */
    long place(long address) {
        return (index + 1) * 0x9E3779B97F4A7C15L + (address - base);
    }
}
