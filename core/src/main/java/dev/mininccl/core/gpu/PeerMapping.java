package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.CudaContext;
import dev.mininccl.core.spi.Bootstrap;
import java.util.List;

/** Device memory of all ranks, mapped by all: every rank takes the same steps. The context must be current. */
final class PeerMapping {
    private final Bootstrap bootstrap;
    private final CudaContext context;
    private final Voting voting;

    PeerMapping(Bootstrap bootstrap, CudaContext context, Voting voting) {
        this.bootstrap = bootstrap;
        this.context = context;
        this.voting = voting;
    }

    /**
     * What came of it.
     *
     * @param arenas the memory, or null
     * @param failure who failed and why, or nothing
     */
    record Mapped(PeerArenas arenas, String failure) {}

    Mapped map(long bytes) {
        PeerArenas[] arenas = new PeerArenas[1];
        String failure = map(arenas, bytes);
        if (!failure.isEmpty() && arenas[0] != null) {
            arenas[0].close();
            arenas[0] = null;
        }
        return new Mapped(arenas[0], failure);
    }

    private String map(PeerArenas[] arenas, long bytes) {
        byte[][] card = {new byte[0]};
        int rank = bootstrap.rank();
        String failure = voting.failures(() -> {
            arenas[0] = PeerArenas.allocate(context, rank, bootstrap.size(), bytes);
            card[0] = arenas[0].card();
        });
        if (!failure.isEmpty()) {
            return failure;
        }
        List<byte[]> cards = voting.gather(card[0]);
        return voting.failures(() -> {
            for (int peer = 0; peer < cards.size(); peer++) {
                if (peer != rank) {
                    arenas[0].map(peer, cards.get(peer));
                }
            }
        });
    }
}
