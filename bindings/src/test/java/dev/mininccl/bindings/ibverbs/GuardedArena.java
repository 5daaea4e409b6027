package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.posix.GuardedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Gives memory that ends at a guard page, so that hand-made code which writes too far does not pass. */
final class GuardedArena implements Arena {
    private final List<GuardedMemory> given = new ArrayList<>();

    @Override
    public MemorySegment allocate(long bytes, long alignment) {
        if (bytes % alignment != 0) {
            throw new IllegalArgumentException(bytes + " bytes aligned to " + alignment + " cannot end at the guard");
        }
        GuardedMemory memory = new GuardedMemory(bytes);
        given.add(memory);
        return memory.segment();
    }

    @Override
    public MemorySegment.Scope scope() {
        return Arena.global().scope();
    }

    @Override
    public void close() {
        given.forEach(GuardedMemory::close);
    }
}
