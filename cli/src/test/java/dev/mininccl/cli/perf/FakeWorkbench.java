package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Heap-like buffers of one rank alone, whose all-reduce is a copy that a test may disturb. */
final class FakeWorkbench implements Workbench {

    /** What goes wrong after the copy. */
    interface Fault {
        void spoil(MemorySegment input, MemorySegment output);
    }

    private final MemorySegment input;
    private final MemorySegment output;
    private final Fault fault;

    FakeWorkbench(long bytes, Fault fault) {
        input = Arena.ofAuto().allocate(bytes + TAIL, 64);
        output = Arena.ofAuto().allocate(bytes + TAIL, 64);
        this.fault = fault;
    }

    @Override
    public String memory() {
        return "fake";
    }

    @Override
    public String engine() {
        return "fake";
    }

    @Override
    public String explanation() {
        return "";
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
        return times -> {
            if (!inPlace) {
                output.asSlice(0, count * type.bytes()).copyFrom(input.asSlice(0, count * type.bytes()));
            }
            fault.spoil(input, output);
            return times;
        };
    }

    @Override
    public Operation prepare(Peer peer, boolean inPlace, long count, DataType type, ReduceOp op) {
        return times -> {
            for (int i = 0; i < times; i++) {
                peer.allReduce((inPlace ? output : input).address(), output.address(), count, type, op, 0);
            }
            return times;
        };
    }

    @Override
    public void close() {}

    private MemorySegment of(Side side) {
        return side == Side.INPUT ? input : output;
    }
}
