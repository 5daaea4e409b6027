package dev.mininccl.core.spi;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One word per communicator that kernels, progress threads and host loops watch: 0 while all is well, 1 once aborted.
 * It lies alone in 128 bytes of native memory so that a GPU can be given it too.
 */
public final class AbortFlag {

    private static final long BYTES = 128;

    /** Held, so that an automatic arena keeps the memory as long as this object. */
    private final MemorySegment memory;

    private final long address;

    /**
     * Creates the flag, not raised.
     *
     * @param arena owns the memory
     */
    public AbortFlag(Arena arena) {
        memory = arena.allocate(BYTES, BYTES);
        address = memory.address();
    }

    /**
     * Where the word lies, for kernels.
     *
     * @return the address of a 32-bit word
     */
    public long address() {
        return memory.address();
    }

    /**
     * Tells whether the communicator was aborted.
     *
     * @return true once {@link #raiseRelease} was called
     */
    public boolean raisedAcquire() {
        return NativeMemory.getIntAcquire(address) != 0;
    }

    /** Raises the flag, for good. What was written before is visible to whoever sees it. */
    public void raiseRelease() {
        NativeMemory.putIntRelease(address, 1);
    }
}
