package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceBuffer;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The public interface on GPUs, ranks as threads: {@code RANKS}. Results, a disagreement, an abort from another thread, a rank that leaves,
 * a call that is abandoned.
 */
public final class DeviceApi {
    private static final int COUNT = 100_000;

    private DeviceApi() {}

    /**
     * Runs all ranks.
     *
     * @param args number of ranks
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        int ranks = Integer.parseInt(args[0]);
        CudaDriver.start().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        for (String scene : new String[] {"right", "disagree", "abort", "leave", "abandon"}) {
            List<Communicator> comms = Communicator.local(ranks, Map.of("MINI_NCCL_TIMEOUT", "5000"));
            List<Thread> threads = new ArrayList<>();
            for (Communicator comm : comms) {
                threads.add(Thread.ofPlatform().name("rank " + comm.rank()).start(() -> run(comm, scene)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void run(Communicator comm, String scene) {
        int ordinal = comm.rank() % CudaDriver.deviceCount();
        long start = System.nanoTime();
        String outcome;
        // Buffers are freed after the communicator is closed: freeing waits for kernels, and a neighbour's may wait for
        // this rank.
        try (comm;
                DeviceBuffer buffer = DeviceBuffer.allocate(ordinal, 4L * COUNT);
                DeviceCommunicator device = comm.device(ordinal);
                Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(JAVA_FLOAT, COUNT);
            for (int i = 0; i < COUNT; i++) {
                host.setAtIndex(JAVA_FLOAT, i, i % 97 + comm.rank());
            }
            buffer.copyFrom(0, host);
            start = System.nanoTime();
            call(comm, ordinal, device, buffer, scene);
            buffer.copyTo(0, host);
            outcome = right(host, comm.size()) ? "right" : "no reduction";
        } catch (NcclException e) {
            outcome = e.getClass().getSimpleName() + " " + e.code() + ": " + e.getMessage();
        }
        System.out.printf(
                "%s, rank %d, closed after %.1f ms: %s%n",
                scene, comm.rank(), (System.nanoTime() - start) / 1e6, outcome);
    }

    private static void call(
            Communicator comm, int ordinal, DeviceCommunicator device, DeviceBuffer buffer, String scene) {
        CudaContext context = CudaContext.retain(new CudaDevice(ordinal));
        context.enter();
        long stream =
                CudaStream
                        .create(); // ranks that share a device must not share a stream: they would wait for each other
        // in it
        boolean odd = comm.rank() == 1;
        if (scene.equals("abort") && odd) {
            comm.abort("on purpose");
            return;
        }
        if (odd && (scene.equals("leave") || scene.equals("abandon"))) {
            return;
        }
        long count = scene.equals("disagree") && odd ? COUNT - 1 : COUNT;
        device.allReduce(buffer, buffer, count, DataType.FLOAT32, ReduceOp.SUM, stream);
        if (!scene.equals("abandon")) {
            device.synchronize(stream);
        }
    }

    private static boolean right(MemorySegment host, int ranks) {
        for (int i = 0; i < COUNT; i++) {
            if (host.getAtIndex(JAVA_FLOAT, i) != (i % 97) * ranks + ranks * (ranks - 1) / 2) {
                return false;
            }
        }
        return true;
    }
}
