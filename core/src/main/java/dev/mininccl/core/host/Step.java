package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.host.reduce.Reducer;

/** One operation as the algorithms see it; filled anew for each, by the engine. */
final class Step {

    long in;
    long out;
    long count;
    int elementBytes;
    long fingerprint;
    Reducer reducer;
    /** Whether slices are handed over by reference where the lanes can. */
    boolean byReference;

    int sliceElements;

    /** Where input and output pass through staging memory, the marks of it; {@code null} otherwise. */
    private Stage stage;
    /** So many elements of the input are there. */
    private long ready;

    @SuppressWarnings("ReferenceEquality")
    void set(long in, long out, long count, DataType type, long fingerprint, Reducer reducer, Stage stage) {
        this.in = in;
        this.out = out;
        this.count = count;
        this.elementBytes = type.bytes();
        this.fingerprint = fingerprint;
        if (this.reducer != reducer) {
            // Storing a reference costs a barrier of the collector's: only when it changes.
            this.reducer = reducer;
        }
        if (this.stage != stage) {
            this.stage = stage;
        }
        ready = stage == null ? count : 0;
    }

    /** Whether the input is there up to an element. */
    boolean ready(long end) {
        return end <= ready || look(end);
    }

    private boolean look(long end) {
        ready = Math.min(count, stage.arrivedAcquire() / elementBytes);
        return end <= ready;
    }

    /** Whether someone waits to hear how far the output is complete. */
    boolean staged() {
        return stage != null;
    }

    /** The output is complete up to an element. */
    void completed(long end) {
        stage.completedRelease(end * elementBytes);
    }

    void slices(int bytes, boolean reference) {
        sliceElements = bytes / elementBytes;
        byReference = reference;
    }
}
