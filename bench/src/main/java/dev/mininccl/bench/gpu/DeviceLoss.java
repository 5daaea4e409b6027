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
 * Two processes, a GPU each, through Hera: {@code RANK}. Rank 1 dies in the middle of a long run of all-reduces; rank 0 says how long
 * it took to hear of it, and that its GPU still works.
 */
public final class DeviceLoss {
    private static final int COUNT = 16 << 20;
    private static final long LIFE_MILLIS = 1500;

    private DeviceLoss() {}

    /**
     * Runs one rank.
     *
     * @param args the rank
     */
    public static void main(String[] args) {
        int rank = Integer.parseInt(args[0]);
        CudaDriver.start();
        CommunicatorOptions options = CommunicatorOptions.builder().rank(rank).size(2).build();
        try (Communicator comm = Communicator.join(options);
                CudaContext context = CudaContext.retain(new CudaDevice(rank));
                DeviceBuffer buffer = DeviceBuffer.allocate(rank, 4L * COUNT)) {
            context.enter();
            long stream = CudaStream.create();
            DeviceCommunicator device = comm.device(rank);
            System.out.println("rank " + rank + ": " + device.explain());
            long start = System.currentTimeMillis();
            long calls = 0;
            try {
                while (true) {
                    if (rank == 1 && System.currentTimeMillis() - start > LIFE_MILLIS) {
                        device.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, ReduceOp.MAX, stream);
                        System.out.println("rank 1 dies at " + System.currentTimeMillis() + " after " + calls + " calls");
                        Runtime.getRuntime().halt(9);
                    }
                    device.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, ReduceOp.MAX, stream);
                    device.synchronize(stream);
                    calls++;
                }
            } catch (NcclException e) {
                System.out.println("rank " + rank + " hears at " + System.currentTimeMillis() + ": " + e.getMessage());
            }
            device.close();
            try (DeviceBuffer after = DeviceBuffer.allocate(rank, 1 << 20)) {
                CudaStream.synchronize(stream);
                System.out.println("rank " + rank + ": the GPU works, " + after.bytes() + " bytes allocated");
            }
        }
    }
}
