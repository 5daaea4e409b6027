package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A rank of a communicator that may mix ranks with and without a GPU, seen as something that reduces what lies in host memory. */
interface NetworkRank {

    /** Fills all of the output with a pattern, reduces from the input, and gives back the output and 64 bytes behind it. */
    void reduce(Call call, MemorySegment input, MemorySegment result);

    /** Sums parts of {@code count} 32-bit integers, one for each rank, and gathers the results into the same memory. */
    void scatterAndGather(MemorySegment data, int count, boolean inPlace);

    /** What differs from call to call; shifts are in elements. */
    record Call(DataType type, ReduceOp op, int count, int shift, boolean inPlace) {
        static final byte PATTERN = (byte) 0xa5;

        long bytes() {
            return (long) count * type.bytes();
        }

        long inputAt() {
            return (long) shift * type.bytes();
        }

        long outputAt() {
            return inPlace ? inputAt() : shift * 3L % 4 * type.bytes();
        }
    }

    /** Buffers on the GPU. */
    record OnGpu(Rank rank, DeviceCommunicator device) implements NetworkRank {
        @Override
        public void reduce(Call call, MemorySegment input, MemorySegment result) {
            long in = rank.input + call.inputAt();
            long out = (call.inPlace() ? rank.input : rank.output) + call.outputAt();
            CudaMemory.fillAsync(out, Call.PATTERN, call.bytes() + 64, rank.stream);
            CudaStream.synchronize(rank.stream);
            CudaMemory.toDevice(in, input.asSlice(0, call.bytes()));
            CudaStream.synchronize(0);
            device.allReduce(in, out, call.count(), call.type(), call.op(), rank.stream);
            device.synchronize(rank.stream);
            CudaMemory.toHost(result.asSlice(0, call.bytes() + 64), out);
        }

        /** By graph, if the count is even. */
        @Override
        public void scatterAndGather(MemorySegment data, int count, boolean inPlace) {
            CudaMemory.toDevice(rank.input, data);
            CudaStream.synchronize(0);
            long own = 4L * count * rank.bootstrap.rank();
            long part = inPlace ? rank.input + own : rank.output;
            long all = inPlace ? rank.input : rank.output + 4L * count;
            if (count % 2 == 0) {
                CudaGraph.begin(rank.stream);
            }
            device.reduceScatter(rank.input, part, count, DataType.INT32, ReduceOp.SUM, rank.stream);
            device.allGather(part, all, count, DataType.INT32, rank.stream);
            if (count % 2 == 0) {
                try (CudaGraph graph = CudaGraph.end(rank.stream)) {
                    graph.launch(rank.stream);
                    device.synchronize(rank.stream);
                }
            }
            device.synchronize(rank.stream);
            CudaMemory.toHost(data, all);
        }
    }

    /** Buffers of the host. */
    record OnHost(Communicator comm) implements NetworkRank {
        @Override
        public void reduce(Call call, MemorySegment input, MemorySegment result) {
            MemorySegment out = result.asSlice(0, call.bytes() + 64).fill(Call.PATTERN);
            if (call.inPlace()) {
                MemorySegment.copy(input, 0, out, 0, call.bytes());
            }
            comm.allReduce(call.inPlace() ? out : input, out, call.count(), call.type(), call.op());
        }

        @Override
        public void scatterAndGather(MemorySegment data, int count, boolean inPlace) {
            try (Arena arena = Arena.ofConfined()) {
                long bytes = 4L * count;
                MemorySegment part = inPlace ? data.asSlice(comm.rank() * bytes, bytes) : arena.allocate(bytes, 64);
                comm.reduceScatter(data, part, count, DataType.INT32, ReduceOp.SUM);
                comm.allGather(part, data, count, DataType.INT32);
            }
        }
    }
}
