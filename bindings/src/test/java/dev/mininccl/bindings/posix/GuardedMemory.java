package dev.mininccl.bindings.posix;

import java.lang.foreign.MemorySegment;

/** Memory that ends exactly at a page nobody may touch: one byte too far is a SIGSEGV, not a passing test. */
public final class GuardedMemory implements AutoCloseable {
    private static final long PAGE = 65536;

    private final long mapping;
    private final long mapped;
    private final MemorySegment segment;

    /**
     * Maps memory.
     *
     * @param bytes how much; the address of its end is a multiple of 64 KiB
     */
    public GuardedMemory(long bytes) {
        mapped = (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
        mapping = Mman.mapAnonymous(mapped);
        long guard = mapping + mapped - PAGE;
        Mman.protect(guard, PAGE, Mman.PROT_NONE);
        segment = NativeMemory.segment(guard - bytes, bytes);
    }

    /**
     * Where it starts.
     *
     * @return absolute address
     */
    public long address() {
        return segment.address();
    }

    /**
     * The memory, without the guard.
     *
     * @return a segment of the bytes asked for
     */
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public void close() {
        Mman.unmap(mapping, mapped);
    }
}
