package dev.mininccl.transport.ipc;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ProcessVm;
import dev.mininccl.core.lane.PeerMemory;
import dev.mininccl.core.spi.ReceiveLane;

/** Reads slices out of a peer's process with one copy, {@code process_vm_readv}. */
final class CrossMemory implements PeerMemory {

    /** The longest slice: a quarter of a usual L2 cache, so that a reducer still finds there what was read. */
    static final int SLICE_BYTES = 256 * 1024;

    private final ProcessVm vm = new ProcessVm();
    private final int rank;
    private final int pid;
    private final long scratch;
    private long result;

    /**
     * Makes a reader for one link.
     *
     * @param rank the peer's rank, for messages
     * @param pid the peer's process
     * @param scratch memory of {@link #SLICE_BYTES} for slices without a destination
     */
    CrossMemory(int rank, long pid, long scratch) {
        this.rank = rank;
        this.pid = (int) pid;
        this.scratch = scratch;
    }

    @Override
    public long fetch(long address, int bytes, long destination) {
        long place = destination == 0 ? scratch : destination;
        result = vm.read(pid, address, place, bytes);
        return result == bytes ? place : ReceiveLane.FAILED;
    }

    @Override
    public String failure() {
        return "shm: reading the memory of rank " + rank + " (process " + pid + ") with process_vm_readv failed: "
                + cause();
    }

    private String cause() {
        return result < 0
                ? Errno.describe((int) -result) + "; its process may have ended, or set MINI_NCCL_CROSS_MEMORY=off"
                : "only " + result + " B of a slice were mapped there";
    }
}
