package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaEvent;
import dev.mininccl.bindings.cuda.CudaStream;

/** Keeps the order of operations across streams. The context must be current. */
final class StreamOrder implements AutoCloseable {
    private final long event = CudaEvent.create(false);
    private boolean used;
    private boolean busy;
    private long last;

    /** The next operation goes to a stream; it runs after the last one. A stream that is being captured is ordered by its graph. */
    void next(long stream) {
        if (stream != last || !used) {
            follow(stream);
        }
        busy = true;
    }

    private void follow(long stream) {
        if (used && !CudaStream.capturing(stream) && !CudaStream.capturing(last)) {
            CudaEvent.record(event, last);
            CudaStream.await(stream, event);
        }
        last = stream;
        used = true;
    }

    /** Whether no operation is under way. Asking a stream takes more than a microsecond: not twice. */
    boolean quiet() {
        if (busy && CudaStream.done(last)) {
            busy = false;
        }
        return !busy;
    }

    /** Waits for a stream. */
    void synchronize(long stream) {
        CudaStream.synchronize(stream);
        if (stream == last) {
            busy = false;
        }
    }

    /** Waits a while for the last operation's stream; whether it is done. */
    boolean drain(long nanos) {
        long end = System.nanoTime() + nanos;
        while (used && !CudaStream.done(last)) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Waits until all has run that was enqueued, but for what is being captured, which has not been. */
    void settle() {
        if (used && !CudaStream.capturing(last)) {
            CudaStream.synchronize(last);
        }
    }

    /** Waits for it to the end: kernels must have been told to stop. */
    void synchronize() {
        if (used) {
            CudaStream.synchronize(last);
        }
    }

    @Override
    public void close() {
        CudaEvent.destroy(event);
    }
}
