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

    @SuppressWarnings("ReferenceEquality")
    void set(long in, long out, long count, DataType type, long fingerprint, Reducer reducer) {
        this.in = in;
        this.out = out;
        this.count = count;
        this.elementBytes = type.bytes();
        this.fingerprint = fingerprint;
        if (this.reducer != reducer) {
            // Storing a reference costs a barrier of the collector's: only when it changes.
            this.reducer = reducer;
        }
    }

    void slices(int bytes, boolean reference) {
        sliceElements = bytes / elementBytes;
        byReference = reference;
    }
}
