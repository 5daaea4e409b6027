package dev.mininccl.bench.gpu;

import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** A rank of a communicator that may mix ranks with and without a GPU, seen as something that reduces what lies in host memory. */
interface NetworkRank {

    /** Fills all of the output with a pattern, reduces from the input, and gives back the output and 64 bytes behind it. */
    void reduce(Call call, MemorySegment input, MemorySegment result);

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
    }
}
