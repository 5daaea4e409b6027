package dev.mininccl.core.lane;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.ProcessVm;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.Arena;

/**
 * Reads slices out of a peer's process with one copy, {@code process_vm_readv}. Where a peer has failed and freed its
 * memory meanwhile, the copy fails; that makes it the right way between threads of one process too, where a plain load
 * would end the process.
 */
public final class CrossMemory implements PeerMemory {

    /** The longest slice: a quarter of a usual L2 cache, so that a reducer still finds there what was read. */
    public static final int SLICE_BYTES = 256 * 1024;

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
     * @param arena owns the place for slices without a destination
     */
    public CrossMemory(int rank, long pid, Arena arena) {
        this.rank = rank;
        this.pid = Math.toIntExact(pid);
        this.scratch = arena.allocate(SLICE_BYTES, LaneLayout.LINE_BYTES).address();
    }

    @Override
    public long fetch(long address, int bytes, long destination) {
        long place = destination == 0 ? scratch : destination;
        result = vm.read(pid, address, place, bytes);
        return result == bytes ? place : ReceiveLane.FAILED;
    }

    @Override
    public String failure() {
        return "reading the memory of rank " + rank + " (process " + pid + ") with process_vm_readv failed: " + cause();
    }

    private String cause() {
        return result < 0
                ? Errno.describe((int) -result) + "; has the rank ended? otherwise set MINI_NCCL_CROSS_MEMORY=off"
                : "only " + result + " B of a slice were mapped there";
    }

    /**
     * Tries to read a word out of a process.
     *
     * @param pid the process
     * @param address where the word lies there
     * @param expected what lies there
     * @return why it cannot be read; {@code null} if it can
     */
    public static String whyNot(long pid, long address, long expected) {
        try (Arena arena = Arena.ofConfined()) {
            long copy = arena.allocate(Long.BYTES, Long.BYTES).address();
            NativeMemory.putLong(copy, ~expected);
            long read = new ProcessVm().read(Math.toIntExact(pid), address, copy, Long.BYTES);
            if (read < 0) {
                return "process_vm_readv: " + Errno.describe((int) -read);
            }
            return NativeMemory.getLong(copy) == expected ? null : "process_vm_readv read something else";
        }
    }
}
