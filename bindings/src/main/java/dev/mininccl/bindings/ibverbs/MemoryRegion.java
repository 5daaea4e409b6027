package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_mr;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;

/** Memory a device may access. It is closed before the memory goes. */
public final class MemoryRegion extends VerbsHandle {
    private final long bytes;
    private final int localKey;
    private final int remoteKey;

    MemoryRegion(long address, long bytes) {
        super(address, "ibv_dereg_mr of " + bytes + " bytes");
        this.bytes = bytes;
        this.localKey = NativeMemory.getInt(address + ibv_mr.lkey$offset());
        this.remoteKey = NativeMemory.getInt(address + ibv_mr.rkey$offset());
    }

    @Override
    int destroy() {
        return Ibv.ibv_dereg_mr(MemorySegment.ofAddress(address()));
    }

    /**
     * The size.
     *
     * @return in bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * The key that own requests name the region by.
     *
     * @return 32 bits
     */
    public int localKey() {
        return localKey;
    }

    /**
     * The key that peers' requests name the region by.
     *
     * @return 32 bits
     */
    public int remoteKey() {
        return remoteKey;
    }
}
