package dev.mininccl.core;

import java.lang.foreign.MemorySegment;

/** Tells transports which memory operations send from, so that it may leave from where it lies. For the thread whose turn it is. */
final class Announcements {

    /** Below this a copy costs less than asking who may send the memory from where it lies. */
    private static final long LEAST_BYTES = 64 << 10;

    private final Sink sink;
    private final Runnable withdrawal;
    /** Whether transports hold memory to be what an operation sends from. */
    private boolean announced;

    /** As {@link dev.mininccl.core.spi.Transport#announce}. */
    @FunctionalInterface
    interface Sink {
        void announce(MemorySegment in, MemorySegment out, long bytes);
    }

    /** For transports that hear what operations send from, and that memory is gone. */
    Announcements(Sink sink, Runnable withdrawal) {
        this.sink = sink;
        this.withdrawal = withdrawal;
    }

    /** Before an operation; {@code null} for memory of which only the address is known. */
    void operation(MemorySegment in, MemorySegment out, long bytes) {
        boolean large = bytes >= LEAST_BYTES && (in != null || out != null);
        if (large || announced) {
            announced = large;
            sink.announce(large ? in : null, large ? out : null, bytes);
        }
    }

    /** Before an operation that passes through staging memory, always the whole of it: where in it the data lies changes. */
    void staged(MemorySegment staging) {
        announced = true;
        sink.announce(staging, null, staging.byteSize());
    }

    /** Some announced memory's scope has ended, and it is freed next. */
    void withdraw() {
        withdrawal.run();
    }
}
