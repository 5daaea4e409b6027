package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceBuffer;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether the host engine and the GPU engine give the same bits in reproducible mode; ranks as threads: {@code RANKS}. */
public final class Bits {
    private static final int[] COUNTS = {1, 7, 1000, 40_003, 300_001};
    private static final int LARGEST = 300_001;

    private Bits() {}

    /**
     * Runs all ranks.
     *
     * @param args number of ranks
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        CudaDriver.start().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        Map<String, String> settings = Map.of("MINI_NCCL_REPRODUCIBLE", "1");
        List<Thread> threads = new ArrayList<>();
        for (Communicator comm : Communicator.local(Integer.parseInt(args[0]), settings)) {
            threads.add(Thread.ofPlatform().name("rank " + comm.rank()).start(() -> run(comm)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void run(Communicator comm) {
        int ordinal = comm.rank() % CudaDriver.deviceCount();
        CudaContext context = CudaContext.retain(new CudaDevice(ordinal));
        context.enter();
        try (comm;
                DeviceCommunicator device = comm.device(ordinal);
                DeviceBuffer buffer = DeviceBuffer.allocate(ordinal, 8L * LARGEST);
                Arena arena = Arena.ofConfined()) {
            long stream = CudaStream.create();
            MemorySegment in = arena.allocate(8L * LARGEST, 64);
            MemorySegment host = arena.allocate(8L * LARGEST, 64);
            MemorySegment gpu = arena.allocate(8L * LARGEST, 64);
            int cases = 0;
            int wrong = 0;
            for (DataType type : DataType.values()) {
                for (ReduceOp op : ReduceOp.values()) {
                    for (int count : COUNTS) {
                        long bytes = (long) count * type.bytes();
                        new Sample(type, op, comm.size(), count, 1000 + cases).fill(comm.rank(), in);
                        comm.allReduce(in.asSlice(0, bytes), host.asSlice(0, bytes), count, type, op);
                        buffer.copyFrom(0, in.asSlice(0, bytes));
                        device.allReduce(buffer, buffer, count, type, op, stream);
                        device.synchronize(stream);
                        buffer.copyTo(0, gpu.asSlice(0, bytes));
                        cases++;
                        wrong += same(comm, host.asSlice(0, bytes), gpu.asSlice(0, bytes), type, op) ? 0 : 1;
                    }
                }
            }
            System.out.printf(
                    "rank %d of %d, GPU %d: %d cases, %d with other bits than the host engine%n",
                    comm.rank(), comm.size(), ordinal, cases, wrong);
        }
    }

    /** A NaN is a NaN: processors differ in the bits of those that they make. */
    private static boolean same(Communicator comm, MemorySegment host, MemorySegment gpu, DataType type, ReduceOp op) {
        Element element = new Element(type);
        long from = host.mismatch(gpu);
        int others = 0;
        for (long i = from < 0 ? host.byteSize() / type.bytes() : from / type.bytes();
                i < host.byteSize() / type.bytes();
                i++) {
            long a = element.bits(host, i);
            long b = element.bits(gpu, i);
            if (a != b && !(element.isNaN(a) && element.isNaN(b)) && others++ == 0) {
                System.out.printf(
                        "OTHER rank %d %s %s of %d: element %d host %x gpu %x%n",
                        comm.rank(), type, op, host.byteSize() / type.bytes(), i, a, b);
            }
        }
        return others == 0;
    }

    /** Bits of one type's elements. */
    private record Element(DataType type) {
        long bits(MemorySegment from, long i) {
            return switch (type.bytes()) {
                case 1 -> from.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i);
                case 2 -> from.get(java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i);
                case 4 -> from.get(java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED, 4 * i);
                default -> from.get(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, 8 * i);
            };
        }

        boolean isNaN(long bits) {
            return switch (type) {
                case FLOAT16 -> Float.isNaN(Float.float16ToFloat((short) bits));
                case BFLOAT16 -> Float.isNaN(Float.intBitsToFloat((int) bits << 16));
                case FLOAT32 -> Float.isNaN(Float.intBitsToFloat((int) bits));
                case FLOAT64 -> Double.isNaN(Double.longBitsToDouble(bits));
                default -> false;
            };
        }
    }
}
