package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.bindings.cuda.CudaKernel;
import dev.mininccl.bindings.cuda.CudaStream;
import java.lang.foreign.Arena;

/** Shows, pair by pair, that stores reach the peer, before anything relies on them. Two seconds a pair at most. */
final class Proof {
    private static final long DEADLINE_NANOS = 2_000_000_000L;
    private static final long WORDS_EACH = 16 * 1024;
    private static final long LINES_EACH = 2000;
    private static final long BYTES_EACH = WORDS_EACH * 8 + 128;

    private final CudaContext context;
    private final int rank;
    private final long[] addresses;
    private final long control;
    private final StopWords words;
    private final long region;
    private int number;

    Proof(CudaContext context, int rank, long[] addresses, long control, StopWords words, ArenaLayout layout) {
        this.context = context;
        this.rank = rank;
        this.addresses = addresses;
        this.control = control;
        this.words = words;
        // A family's slots, which nobody has used yet; what the proof leaves there is never taken for a flag or a
        // counter.
        region = layout.region(Family.RING) + ArenaLayout.FLAG_BYTES;
    }

    /** Stores and a flag, both ways, with every peer in turn. */
    void stores() {
        pairs("prove", WORDS_EACH, 1024);
    }

    /** 128-byte lines, likewise. */
    void lines() {
        pairs("prove_lines", LINES_EACH, 512);
    }

    private void pairs(String entry, long count, int threads) {
        for (int low = 0; low < addresses.length; low++) {
            for (int high = low + 1; high < addresses.length; high++) {
                number++;
                if (rank == low || rank == high) {
                    run(entry, rank == low ? high : low, count, threads);
                }
            }
        }
    }

    private void run(String entry, int peer, long count, int threads) {
        CudaKernel kernel = KernelStore.of(context.device()).kernel("prove", entry);
        long stream = CudaStream.create();
        try (Arena arena = Arena.ofConfined()) {
            KernelArguments arguments = new KernelArguments(arena)
                    .communicator(rank, addresses, control, words.deviceAddress(), DEADLINE_NANOS)
                    .region(region, BYTES_EACH)
                    .shape(peer, 0)
                    .operation(0, 0, count, number);
            kernel.launch(1, threads, stream, arguments.address());
            CudaStream.synchronize(stream);
        } finally {
            CudaStream.destroy(stream);
        }
        if (words.provenAcquire() != number) {
            String what =
                    words.reason() == StopWords.PROOF ? "data arrived wrong from rank " : "nothing arrived from rank ";
            throw new IllegalStateException(entry + ": " + what + peer);
        }
    }
}
