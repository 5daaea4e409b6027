package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaMemory;
import java.lang.foreign.Arena;

/**
 * What set-up gave one rank: its arena and those of its peers, its private words, and what is known of the way between them. Closed
 * when no kernel uses it any more. The context must be current.
 *
 * @param arenas the memory that ranks exchange data through
 * @param layout where things lie in an arena
 * @param control device memory of this rank's kernels, {@link ArenaLayout#CONTROL_BYTES}
 * @param words its abort word
 * @param lane what the arenas live in
 * @param nvlink whether lines of 128 bytes arrive whole
 * @param weakest the least of all ranks' devices
 * @param sharedDevice whether a GPU serves several ranks
 * @param story how the lane was chosen
 */
record GpuLink(
        Arenas arenas,
        ArenaLayout layout,
        long control,
        StopWords words,
        GpuLane lane,
        boolean nvlink,
        GpuClass weakest,
        boolean sharedDevice,
        String story)
        implements AutoCloseable {

    /** What a tuning file calls the way between the devices. */
    String way() {
        return lane == GpuLane.HOST ? "host" : nvlink ? "nvlink" : "pcie";
    }

    /** The arguments of a kernel, with what stays the same for all operations. */
    KernelArguments arguments(int rank, long timeoutNanos, Arena memory) {
        return new KernelArguments(memory)
                .communicator(rank, arenas.deviceAddresses(), control, words.deviceAddress(), timeoutNanos);
    }

    @Override
    public void close() {
        arenas.close();
        CudaMemory.free(control);
        words.close();
    }
}
