package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.DependentLaunch;
import java.lang.foreign.Arena;

/**
 * Launches kernels of {@link KernelStore}, small ones so that they come onto the device before the last one has left it: large ones gain
 * nothing, and two communicators' could wait for ever for one another. The context must be current.
 */
final class KernelLauncher {
    private final DependentLaunch dependent;
    private final boolean supported;
    private long overlappingThreads;

    KernelLauncher(KernelStore kernels, GpuLink link, Arena memory) {
        dependent = new DependentLaunch(memory);
        supported = kernels.overlapping();
        overlapping(link.sharedDevice() ? 0 : link.weakest().overlapping());
    }

    /** Up to how many threads a kernel has that comes so early; 0: none does. */
    void overlapping(long threads) {
        overlappingThreads = supported ? threads : 0;
    }

    void launch(CudaKernel kernel, int blocks, int threads, long stream, KernelArguments arguments) {
        if ((long) blocks * threads <= overlappingThreads) {
            dependent.launch(kernel, blocks, threads, stream, arguments.address());
        } else {
            kernel.launch(blocks, threads, stream, arguments.address());
        }
    }
}
