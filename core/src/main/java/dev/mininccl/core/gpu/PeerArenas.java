package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaDevice;
import dev.mininccl.bindings.cuda.CudaIpc;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Arenas in device memory: mapped by CUDA IPC between processes, by peer access within one. The context must be current. */
final class PeerArenas implements Arenas {
    /** Tells this process from all others, where process numbers need not (containers). */
    private static final long PROCESS = new SecureRandom().nextLong();

    private static final int CARD_BYTES = 8 + 8 + 4 + CudaIpc.HANDLE_BYTES;

    private final CudaContext context;
    private final int rank;
    private final long[] addresses;
    private final List<Long> opened = new ArrayList<>();
    private final List<CudaContext> retained = new ArrayList<>();

    private PeerArenas(CudaContext context, int rank, int ranks) {
        this.context = context;
        this.rank = rank;
        addresses = new long[ranks];
    }

    /** Allocates this rank's arena, zeroed. */
    static PeerArenas allocate(CudaContext context, int rank, int ranks, long bytes) {
        PeerArenas arenas = new PeerArenas(context, rank, ranks);
        arenas.addresses[rank] = CudaMemory.allocate(bytes);
        CudaMemory.fill(arenas.addresses[rank], (byte) 0, bytes);
        CudaStream.synchronize(0);
        return arenas;
    }

    /** What peers need to map this rank's arena. */
    byte[] card() {
        return ByteBuffer.allocate(CARD_BYTES)
                .putLong(PROCESS)
                .putLong(addresses[rank])
                .putInt(context.device().ordinal())
                .put(CudaIpc.export(addresses[rank]))
                .array();
    }

    /** Maps a peer's arena. */
    void map(int peer, byte[] card) {
        ByteBuffer in = ByteBuffer.wrap(card);
        long process = in.getLong();
        long address = in.getLong();
        int ordinal = in.getInt();
        if (process == PROCESS) {
            reachDevice(ordinal);
            addresses[peer] = address;
            return;
        }
        byte[] handle = new byte[CudaIpc.HANDLE_BYTES];
        in.get(handle);
        addresses[peer] = CudaIpc.open(handle);
        opened.add(addresses[peer]);
    }

    private void reachDevice(int ordinal) {
        if (ordinal == context.device().ordinal()) {
            return;
        }
        CudaDevice peer = new CudaDevice(ordinal);
        if (!context.device().claimsAccessTo(peer)) {
            throw new IllegalStateException("GPU " + context.device().ordinal() + " cannot reach GPU " + ordinal
                    + ": no peer access (different PCIe roots, or the driver does not allow it for this product)");
        }
        CudaContext peerContext = CudaContext.retain(peer);
        retained.add(peerContext);
        context.enableAccessTo(peerContext);
    }

    @Override
    public long[] deviceAddresses() {
        return addresses;
    }

    @Override
    public void settled() {}

    @Override
    public void close() {
        opened.forEach(CudaIpc::close);
        opened.clear();
        if (addresses[rank] != 0) {
            CudaMemory.free(addresses[rank]);
            addresses[rank] = 0;
        }
        retained.forEach(CudaContext::close);
        retained.clear();
    }
}
