package dev.mininccl.bench.peers;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.cli.peer.PeerGroup;
import dev.mininccl.cli.peer.PeerProvider;
import java.util.Optional;

/** Offers {@link Mpi} to {@code perf --compare mpi}. */
public final class MpiProvider implements PeerProvider {

    /** Used by the service loader. */
    public MpiProvider() {}

    @Override
    public String name() {
        return "mpi";
    }

    @Override
    public Optional<String> obstacle(String memory) {
        return memory.equals("host") ? Mpi.absent() : Optional.of("is measured on host memory only");
    }

    @Override
    public Peer join(PeerGroup group) {
        return Mpi.join(group.rank(), group.size());
    }
}
