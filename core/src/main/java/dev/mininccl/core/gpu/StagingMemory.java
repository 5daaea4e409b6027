package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaException;
import dev.mininccl.bindings.cuda.CudaHostMemory;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.host.Staging;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * What a staged engine has of native memory. The context must be current.
 *
 * @param halves pinned: the data on its way, in two halves; transports may send from it
 * @param lines pinned: the marks that kernel and host engine keep step by
 * @param control device memory of the kernels, {@link ArenaLayout#CONTROL_BYTES}
 * @param words the abort word
 */
record StagingMemory(LentMemory halves, long lines, long control, StopWords words) {

    /** All of it, or nothing. */
    static StagingMemory allocate(long bytes) {
        Deque<Runnable> undo = new ArrayDeque<>();
        try {
            StopWords words = new StopWords();
            undo.push(words::close);
            long control = CudaMemory.allocate(ArenaLayout.CONTROL_BYTES);
            undo.push(() -> CudaMemory.free(control));
            CudaMemory.fill(control, (byte) 0, ArenaLayout.CONTROL_BYTES);
            CudaStream.synchronize(0);
            long lines = CudaHostMemory.allocate(Staging.LINES_BYTES).address();
            undo.push(() -> CudaHostMemory.free(lines));
            LentMemory halves = new LentMemory(CudaHostMemory.allocate(bytes).address(), bytes, CudaHostMemory::free);
            return new StagingMemory(halves, lines, control, words);
        } catch (CudaException e) {
            undo.forEach(Runnable::run);
            throw new IllegalStateException(
                    "no " + (bytes >> 20) + " MiB of pinned memory (MINI_NCCL_STAGING): " + e.getMessage(), e);
        }
    }

    /** Gives back what kernels alone used. */
    void closeDeviceSide() {
        words.close();
        CudaMemory.free(control);
    }

    /** Gives back what the host engine used too; false if the data's memory stays pinned, since transports still hold it. */
    boolean closeHostSide(BooleanSupplier withdraw) {
        CudaHostMemory.free(lines);
        return halves.close(withdraw);
    }
}
