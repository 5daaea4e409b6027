package dev.mininccl.bench.peers;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.cli.peer.PeerGroup;
import dev.mininccl.cli.peer.PeerProvider;
import java.util.Optional;

/** Offers {@link Nccl} to {@code perf --compare nccl}. */
public final class NcclProvider implements PeerProvider {

    /** Used by the service loader. */
    public NcclProvider() {}

    @Override
    public String name() {
        return "nccl";
    }

    @Override
    public Optional<String> obstacle(String memory) {
        return memory.equals("cuda")
                ? Nccl.absent()
                : Optional.of("needs --memory cuda, NCCL reduces memory of GPUs only");
    }

    @Override
    public Peer join(PeerGroup group) {
        return Nccl.join(group.rank(), group.size(), group::fromFirst);
    }
}
