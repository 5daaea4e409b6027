package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Buffers in host memory, page-aligned; registered ones are the communicator's. */
final class HostWorkbench implements Workbench {

    private static final long PAGE = 4096;

    private final Communicator communicator;
    private final Collective collective;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment input;
    private final MemorySegment output;

    /** All ranks create it at the same time, since registered memory is allocated together. */
    HostWorkbench(Communicator communicator, Plan plan) {
        this.communicator = communicator;
        this.collective = plan.collective();
        long bytes = plan.largest() + TAIL;
        input = plan.registered() ? communicator.allocate(bytes) : arena.allocate(bytes, PAGE);
        output = plan.registered() ? communicator.allocate(bytes) : arena.allocate(bytes, PAGE);
    }

    @Override
    public String memory() {
        return "host";
    }

    @Override
    public String engine() {
        return "host";
    }

    @Override
    public String explanation() {
        return communicator.explain();
    }

    @Override
    public void write(Side side, long offset, MemorySegment bytes) {
        of(side).asSlice(offset, bytes.byteSize()).copyFrom(bytes);
    }

    @Override
    public void read(Side side, long offset, MemorySegment bytes) {
        bytes.copyFrom(of(side).asSlice(offset, bytes.byteSize()));
    }

    @Override
    public Operation prepare(boolean inPlace, long count, DataType type, ReduceOp op) {
        long part = count * type.bytes();
        int rank = communicator.rank();
        int ranks = communicator.size();
        MemorySegment in = (inPlace ? output : input)
                .asSlice(inPlace ? collective.inputPlace(rank) * part : 0, collective.inputs(ranks) * part);
        MemorySegment out =
                output.asSlice(inPlace ? collective.outputPlace(rank) * part : 0, collective.outputs(ranks) * part);
        return times -> {
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                Collectives.run(collective, communicator, in, out, count, type, op);
            }
            return System.nanoTime() - start;
        };
    }

    @Override
    public Operation prepare(Peer peer, boolean inPlace, long count, DataType type, ReduceOp op) {
        long part = inPlace ? count * type.bytes() : 0;
        long in = (inPlace ? output : input).address() + collective.inputPlace(communicator.rank()) * part;
        long out = output.address() + collective.outputPlace(communicator.rank()) * part;
        return times -> {
            long start = System.nanoTime();
            for (int i = 0; i < times; i++) {
                Collectives.run(collective, peer, in, out, count, type, op, 0);
            }
            return System.nanoTime() - start;
        };
    }

    @Override
    public void close() {
        arena.close();
    }

    private MemorySegment of(Side side) {
        return side == Side.INPUT ? input : output;
    }
}
