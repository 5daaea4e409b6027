package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.Access;
import dev.mininccl.bindings.ibverbs.MemoryRegion;
import dev.mininccl.bindings.ibverbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/**
 * Proves that a registration of GPU memory is what it says: a device writes from it to host memory, and from host memory to it, and
 * both times what arrives is compared with what the GPU's own copies say. A mapping of other memory does not pass.
 */
final class LoopbackProof {

    private final Port port;
    private final ProtectionDomain domain;
    private final DirectMemory memory;
    private final Random random = new Random();

    LoopbackProof(Port port, ProtectionDomain domain, DirectMemory memory) {
        this.port = port;
        this.domain = domain;
        this.memory = memory;
    }

    /** In words what was proven; throws if it was not. */
    String of(MemoryRegion region) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(memory.bytes(), 8);
            MemorySegment seen = arena.allocate(memory.bytes(), 4096);
            try (MemoryRegion host = domain.register(
                            seen.address(),
                            seen.byteSize(),
                            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
                    LoopbackPair pair = new LoopbackPair(port, domain, arena)) {
                int bytes = (int) memory.bytes();
                fill(expected);
                memory.write(expected);
                pair.write(memory.address(), region.localKey(), bytes, seen.address(), host.remoteKey());
                // What a write has put somewhere is certainly there once a read behind it has been there.
                pair.read(seen.address(), host.localKey(), 1, seen.address(), host.remoteKey());
                compare(expected, seen, "read from");
                fill(expected);
                seen.copyFrom(expected);
                pair.write(seen.address(), host.localKey(), bytes, memory.address(), region.remoteKey());
                if (memory.flushedByReading()) {
                    pair.read(seen.address(), host.localKey(), 1, memory.address() + bytes - 1, region.remoteKey());
                }
                String settled = memory.settle();
                memory.read(seen);
                compare(expected, seen, "written to");
                return "proven by " + bytes + " bytes each way, " + settled;
            }
        }
    }

    private void fill(MemorySegment segment) {
        for (long at = 0; at < segment.byteSize(); at += Long.BYTES) {
            segment.set(ValueLayout.JAVA_LONG, at, random.nextLong());
        }
    }

    private static void compare(MemorySegment expected, MemorySegment seen, String how) {
        long at = expected.mismatch(seen);
        if (at >= 0) {
            throw new IllegalStateException("registered, but byte " + at + " of " + expected.byteSize() + " " + how
                    + " it is another one: the device maps other memory");
        }
    }
}
