package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * One rank's two buffers and the collective on them: all that {@code perf} needs to know of host memory or of a GPU.
 * Used by one thread.
 */
interface Workbench extends AutoCloseable {

    /** The buffers. In place, the second holds all parts of both input and output. */
    enum Side {
        INPUT,
        OUTPUT
    }

    /** Bytes that each buffer has beyond the largest message, to see what is written there. */
    long TAIL = 128;

    /** Where the buffers lie: {@code host} or {@code cuda}. */
    String memory();

    /** What runs the schedule. */
    String engine();

    /** How the ranks' buffers are joined, as {@link Communicator#explain()} tells it. */
    String explanation();

    /** Copies host bytes into a buffer. */
    void write(Side side, long offset, MemorySegment bytes);

    /** Copies a part of a buffer to host memory. */
    void read(Side side, long offset, MemorySegment bytes);

    /** Makes ready the collective on the first {@code count} elements, of each part where there are parts. */
    Operation prepare(boolean inPlace, long count, DataType type, ReduceOp op);

    /** Makes ready another library's on the same elements. */
    Operation prepare(Peer peer, boolean inPlace, long count, DataType type, ReduceOp op);

    @Override
    void close();

    /** A collective on fixed arguments. All ranks call it equally often. */
    interface Operation extends AutoCloseable {

        /**
         * Does it some times back to back and returns once the last result is there.
         *
         * @return the time for all of them in ns
         */
        long run(int times);

        /** Gives back what was made ready, if anything. */
        @Override
        default void close() {}
    }
}
