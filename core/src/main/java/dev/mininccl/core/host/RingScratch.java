package dev.mininccl.core.host;

import dev.mininccl.core.spi.SendLane;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where a ring's partial results lie until they have left, if the output has no room for them: that of a reduce-scatter is one part.
 * Message i is kept as soon as it is received, and sent as message i + slices.
 */
final class RingScratch {

    private static final long LINE = 128;

    private MemorySegment memory = MemorySegment.NULL;
    private SendLane lane;
    private int slices;
    private int slots;
    private long slotBytes;
    private long releasedBefore;

    /** An operation begins, whose partial results leave by a lane in slices of so many bytes at most. */
    @SuppressWarnings("ReferenceEquality")
    void begin(SendLane to, int slicesOfChunk, int sliceBytes) {
        if (lane != to) {
            lane = to;
        }
        slices = slicesOfChunk;
        slots = slicesOfChunk + to.depth();
        slotBytes = (sliceBytes + LINE - 1) / LINE * LINE;
        releasedBefore = to.offered();
        if (memory.byteSize() < slots * slotBytes) {
            memory = Arena.ofAuto().allocate(slots * slotBytes, LINE);
        }
    }

    /** The place of a message. */
    long at(long message) {
        return memory.address() + message % slots * slotBytes;
    }

    /** Whether what lay in a message's place has left. */
    boolean free(long message) {
        return lane.released() - releasedBefore > message - slots + slices;
    }
}
