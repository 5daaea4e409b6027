package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceBuffer;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;

/**
 * Two processes, a GPU each, through Hera: {@code RANK}. They reduce until one is killed ({@code bench/device/gpu-loss.sh}); the other
 * says when it heard of it, and that its GPU still works.
 */
public final class DeviceLoss {
    private static final int COUNT = 16 << 20;

    private DeviceLoss() {}

    /**
     * Runs one rank.
     *
     * @param args the rank
     */
    public static void main(String[] args) {
        int rank = Integer.parseInt(args[0]);
        CudaDriver.start();
        CommunicatorOptions options =
                CommunicatorOptions.builder().rank(rank).size(2).build();
        try (Communicator comm = Communicator.join(options);
                CudaContext context = CudaContext.retain(new CudaDevice(rank));
                DeviceBuffer buffer = DeviceBuffer.allocate(rank, 4L * COUNT)) {
            context.enter();
            long stream = CudaStream.create();
            DeviceCommunicator device = comm.device(rank);
            System.out.println("rank " + rank + ": " + device.explain());
            long calls = 0;
            try {
                while (true) {
                    device.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, ReduceOp.MAX, stream);
                    device.synchronize(stream);
                    calls++;
                }
            } catch (NcclException e) {
                System.out.println("rank " + rank + " hears at " + System.currentTimeMillis() + " ms after " + calls
                        + " calls: " + e.getMessage());
            }
            device.close();
            try (DeviceBuffer after = DeviceBuffer.allocate(rank, 1 << 20)) {
                CudaStream.synchronize(stream);
                System.out.println("rank " + rank + ": the GPU works, " + after.bytes() + " bytes allocated");
            }
        }
    }
}
