package dev.mininccl.core.gpu;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import java.util.ArrayList;
import java.util.List;

/** All {@link SymmetricMemory} of a communicator. The context must be current. */
final class SymmetricHeap implements AutoCloseable {
    private final List<SymmetricMemory> memories = new ArrayList<>();

    /** Allocates on all ranks, which call it alike, and maps everywhere; gives this rank's own address. */
    long allocate(PeerMapping mapping, GpuLane lane, int rank, long bytes) {
        if (lane != GpuLane.PEER) {
            throw failed(rank, "symmetric memory needs peer memory, and the lane is " + lane);
        }
        PeerMapping.Mapped mapped = mapping.map(bytes);
        if (!mapped.failure().isEmpty()) {
            throw failed(rank, "no symmetric memory of " + bytes + " bytes: " + mapped.failure());
        }
        long base = mapped.arenas().deviceAddresses()[rank];
        memories.add(new SymmetricMemory(mapped.arenas(), memories.size(), base, bytes));
        return base;
    }

    private static CommunicatorException failed(int rank, String message) {
        return new CommunicatorException(ResultCode.SYSTEM_ERROR, rank, -1, "gpu: " + message, null);
    }

    /** What holds a buffer as a whole, or null. */
    SymmetricMemory holding(long address, long bytes) {
        for (int i = 0; i < memories.size(); i++) {
            if (memories.get(i).holds(address, bytes)) {
                return memories.get(i);
            }
        }
        return null;
    }

    @Override
    public void close() {
        memories.forEach(memory -> memory.arenas().close());
    }
}
