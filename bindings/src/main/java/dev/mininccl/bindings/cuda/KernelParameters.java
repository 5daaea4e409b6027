package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The parameters of a kernel that takes one structure by value: laid out once, patched in place before a launch. */
public final class KernelParameters {
    private final MemorySegment block;
    private final MemorySegment pointers;

    /**
     * Lays out parameters of zeros.
     *
     * @param bytes the structure's size
     * @param arena owns the memory
     */
    public KernelParameters(long bytes, Arena arena) {
        block = arena.allocate(bytes, 16);
        pointers = arena.allocate(JAVA_LONG);
        pointers.set(JAVA_LONG, 0, block.address());
    }

    /**
     * The structure.
     *
     * @return its memory, to be written before a launch
     */
    public MemorySegment block() {
        return block;
    }

    /**
     * What {@link CudaKernel#launch} takes.
     *
     * @return the address of an array of one pointer
     */
    public long address() {
        return pointers.address();
    }
}
