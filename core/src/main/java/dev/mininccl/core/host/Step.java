package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.host.reduce.Reducer;
import dev.mininccl.core.schedule.Collective;

/**
 * One operation as the algorithms see it; filled anew for each, by the engine.
 *
 * <p>Where there are parts, {@link #in} and {@link #out} are where part 0 lies or would lie: the only part of a buffer that has one
 * is at this rank's place. So a part has the same place in both, and in place they are equal.
 */
final class Step {

    Collective collective;
    long in;
    long out;
    /** Elements; of each part where there are parts. */
    long count;
    /** Elements from one part to the next. */
    long stride;

    int elementBytes;
    long fingerprint;
    /** Of no meaning where nothing is reduced. */
    Reducer reducer;
    /** Whether slices are handed over by reference where the lanes can. */
    boolean byReference;

    int sliceElements;

    private int ranks;
    /** Where input and output pass through staging memory, the marks of it; {@code null} otherwise. */
    private Stage stage;
    /** So many elements of the input are there. */
    private long ready;

    /** Buffers begin with their first part, whichever that is. */
    @SuppressWarnings("ReferenceEquality")
    void set(
            Collective collective,
            long in,
            long out,
            long count,
            long stride,
            int rank,
            int ranks,
            DataType type,
            long fingerprint,
            Reducer reducer,
            Stage stage) {
        long place = rank * stride * type.bytes();
        this.in = collective == Collective.ALL_GATHER ? in - place : in;
        this.out = collective == Collective.REDUCE_SCATTER ? out - place : out;
        this.count = count;
        this.stride = stride;
        this.ranks = ranks;
        this.elementBytes = type.bytes();
        this.fingerprint = fingerprint;
        // Storing a reference costs a barrier of the collector's: only when it changes.
        if (this.collective != collective) {
            this.collective = collective;
        }
        if (this.reducer != reducer) {
            this.reducer = reducer;
        }
        if (this.stage != stage) {
            this.stage = stage;
        }
        ready = stage == null ? Long.MAX_VALUE : 0;
    }

    boolean allReduces() {
        return collective == Collective.ALL_REDUCE;
    }

    boolean inPlace() {
        return in == out;
    }

    /** Bytes from one part to the next. */
    long strideBytes() {
        return stride * elementBytes;
    }

    /** Where a rank's input begins, given where its part 0 lies or would lie. */
    long inputStart(long in, int rank) {
        return collective == Collective.ALL_GATHER ? in + rank * strideBytes() : in;
    }

    /** Bytes from the input's first to its last. */
    long inputExtent() {
        return ((collective.inputs(ranks) - 1) * stride + count) * elementBytes;
    }

    /** Whether the input is there up to an element; where there are parts, it comes as a whole. */
    boolean ready(long end) {
        return end <= ready || look(end);
    }

    private boolean look(long end) {
        long arrived = stage.arrivedAcquire();
        if (allReduces()) {
            ready = Math.min(count, arrived / elementBytes);
        } else if (arrived >= collective.inputs(ranks) * count * elementBytes) {
            ready = Long.MAX_VALUE;
        }
        return end <= ready;
    }

    /** Whether someone waits to hear how far the output is complete. */
    boolean staged() {
        return stage != null && allReduces();
    }

    /** The output is complete up to an element. */
    void completed(long end) {
        stage.completedRelease(end * elementBytes);
    }

    /** The output is complete. */
    void completed() {
        if (stage != null) {
            completed(collective.outputs(ranks) * count);
        }
    }

    void slices(int bytes, boolean reference) {
        sliceElements = bytes / elementBytes;
        byReference = reference;
    }
}
