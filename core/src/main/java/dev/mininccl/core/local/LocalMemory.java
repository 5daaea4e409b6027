package dev.mininccl.core.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;

/** Plain memory that several ranks of this process hold under one key; freed when the last of them lets go. */
final class LocalMemory {

    private static final long PAGE_BYTES = 4096;

    private static final ConcurrentHashMap<Object, LocalMemory> BY_KEY = new ConcurrentHashMap<>();

    private final Object key;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    /** How many ranks hold it; changed only inside an atomic step of the map. */
    private int holders = 1;

    private LocalMemory(Object key, long bytes) {
        this.key = key;
        this.segment = arena.allocate(bytes, PAGE_BYTES);
    }

    /** Holds the memory of a key; makes it, zeroed, if nobody holds it yet. */
    static LocalMemory hold(Object key, long bytes) {
        return BY_KEY.compute(key, (k, known) -> known == null ? new LocalMemory(k, bytes) : known.oneMore());
    }

    /** Holds the memory of a key if somebody else does, otherwise gives {@code null}. */
    static LocalMemory find(Object key) {
        return BY_KEY.computeIfPresent(key, (k, known) -> known.oneMore());
    }

    /** Lets go. Called once by each holder. */
    void release() {
        BY_KEY.computeIfPresent(key, (k, known) -> known.oneLess());
    }

    private LocalMemory oneMore() {
        holders++;
        return this;
    }

    private LocalMemory oneLess() {
        if (--holders > 0) {
            return this;
        }
        arena.close();
        return null;
    }

    long address() {
        return segment.address();
    }

    /** How many pieces of memory are held now. */
    static int held() {
        return BY_KEY.size();
    }
}
