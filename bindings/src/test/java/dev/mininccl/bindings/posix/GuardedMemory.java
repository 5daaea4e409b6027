package dev.mininccl.bindings.posix;

import java.lang.foreign.MemorySegment;

/** Memory that ends exactly at a page nobody may touch: one byte too far is a SIGSEGV, not a passing test. */
final class GuardedMemory implements AutoCloseable {
    private static final long PAGE = 65536;

    private final long mapping;
    private final long mapped;
    private final MemorySegment segment;

    GuardedMemory(long bytes) {
        mapped = (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
        mapping = Mman.mapAnonymous(mapped);
        long guard = mapping + mapped - PAGE;
        Mman.protect(guard, PAGE, Mman.PROT_NONE);
        segment = NativeMemory.segment(guard - bytes, bytes);
    }

    long address() {
        return segment.address();
    }

    MemorySegment segment() {
        return segment;
    }

    @Override
    public void close() {
        Mman.unmap(mapping, mapped);
    }
}
