package dev.mininccl.cli.perf;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceBuffer;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.MemorySegment;

/** Buffers on a GPU: ranks take the machine's devices in turn. Operations are enqueued in one stream, or replayed as graphs. */
final class CudaWorkbench implements Workbench {

    private final Collective collective;
    private final int rank;
    private final CudaContext context;
    private final DeviceCommunicator device;
    private final DeviceBuffer input;
    private final DeviceBuffer output;
    private final long stream;
    private final boolean stepwise;
    private final boolean graphs;

    /** All ranks create it at the same time. */
    CudaWorkbench(Communicator communicator, Plan plan, boolean stepwise, boolean graphs) {
        this.collective = plan.collective();
        this.rank = communicator.rank();
        this.stepwise = stepwise;
        this.graphs = graphs;
        int ordinal = communicator.rank() % CudaDriver.deviceCount();
        long bytes = plan.largest() + TAIL;
        device = communicator.device(ordinal);
        input = DeviceBuffer.allocate(ordinal, bytes);
        output = DeviceBuffer.allocate(ordinal, bytes);
        context = CudaContext.retain(new CudaDevice(ordinal));
        context.enter();
        stream = CudaStream.create();
    }

    @Override
    public String memory() {
        return "cuda";
    }

    @Override
    public String engine() {
        if (device.staged()) {
            return "staged";
        }
        return stepwise ? "stepwise" : "fused";
    }

    @Override
    public String explanation() {
        return device.explain();
    }

    @Override
    public void write(Side side, long offset, MemorySegment bytes) {
        of(side).copyFrom(offset, bytes);
    }

    @Override
    public void read(Side side, long offset, MemorySegment bytes) {
        of(side).copyTo(offset, bytes);
    }

    @Override
    public Operation prepare(boolean inPlace, long count, DataType type, ReduceOp op) {
        long in = in(inPlace, count * type.bytes());
        long out = out(inPlace, count * type.bytes());
        Operation enqueued = operation(
                () -> Collectives.enqueue(collective, device, in, out, count, type, op, stream),
                () -> device.synchronize(stream));
        return graphs ? enqueued : times -> times == 1 ? blocking(in, out, count, type, op) : enqueued.run(times);
    }

    @Override
    public Operation prepare(Peer peer, boolean inPlace, long count, DataType type, ReduceOp op) {
        long in = in(inPlace, count * type.bytes());
        long out = out(inPlace, count * type.bytes());
        return operation(
                () -> Collectives.run(collective, peer, in, out, count, type, op, stream),
                () -> CudaStream.synchronize(stream));
    }

    private long in(boolean inPlace, long part) {
        return inPlace ? output.address() + collective.inputPlace(rank) * part : input.address();
    }

    private long out(boolean inPlace, long part) {
        return output.address() + (inPlace ? collective.outputPlace(rank) * part : 0);
    }

    private long blocking(long in, long out, long count, DataType type, ReduceOp op) {
        long start = System.nanoTime();
        Collectives.run(collective, device, in, out, count, type, op);
        return System.nanoTime() - start;
    }

    private Operation operation(Runnable call, Runnable wait) {
        return graphs ? new Replayed(call, wait) : times -> enqueued(call, wait, times);
    }

    private static long enqueued(Runnable call, Runnable wait, int times) {
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            call.run();
        }
        wait.run();
        return System.nanoTime() - start;
    }

    /** A batch is one launch of a graph of so many calls. */
    private final class Replayed implements Operation {
        private final Runnable call;
        private final Runnable wait;
        private CudaGraph graph;
        private int calls;

        Replayed(Runnable call, Runnable wait) {
            this.call = call;
            this.wait = wait;
        }

        @Override
        public long run(int times) {
            if (times == 1) {
                return enqueued(call, wait, 1);
            }
            if (times != calls) {
                capture(times);
            }
            long start = System.nanoTime();
            graph.launch(stream);
            wait.run();
            return System.nanoTime() - start;
        }

        private void capture(int times) {
            close();
            CudaGraph.begin(stream);
            for (int i = 0; i < times; i++) {
                call.run();
            }
            graph = CudaGraph.end(stream);
            calls = times;
        }

        @Override
        public void close() {
            if (graph != null) {
                graph.close();
                graph = null;
            }
        }
    }

    @Override
    public void close() {
        device.close();
        CudaStream.destroy(stream);
        context.leave();
        context.close();
        input.close();
        output.close();
    }

    private DeviceBuffer of(Side side) {
        return side == Side.INPUT ? input : output;
    }
}
