package dev.mininccl.core.gpu;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Host memory, pinned as a rule, that transports may register and send from. Its segment's scope ends, and they give back what they
 * have of it, before it is freed.
 */
final class LentMemory {

    private final Arena lifetime = Arena.ofShared();
    private final MemorySegment segment;
    private final LongConsumer free;

    /** Takes over memory that {@code free} frees by its address. */
    LentMemory(long address, long bytes, LongConsumer free) {
        segment = NativeMemory.segment(address, bytes, lifetime);
        this.free = free;
    }

    MemorySegment segment() {
        return segment;
    }

    /** Frees it, once, when {@code withdraw} says that nobody has it registered; false if it is kept. */
    boolean close(BooleanSupplier withdraw) {
        lifetime.close();
        if (!withdraw.getAsBoolean()) {
            return false;
        }
        free.accept(segment.address());
        return true;
    }
}
