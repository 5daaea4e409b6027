package dev.mininccl.core.local;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.lane.PeerMemory;

/** A peer's memory where the peer is a thread of this process. */
final class SameProcessMemory implements PeerMemory {

    @Override
    public long fetch(long address, int bytes, long destination) {
        if (destination == 0) {
            return address;
        }
        NativeMemory.copy(address, destination, bytes);
        return destination;
    }

    /** Never asked for: {@link #fetch} does not fail. */
    @Override
    public String failure() {
        return null;
    }
}
