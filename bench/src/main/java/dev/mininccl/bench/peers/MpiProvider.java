package dev.mininccl.bench.peers;

import dev.mininccl.cli.peer.Peer;
import dev.mininccl.cli.peer.PeerGroup;
import dev.mininccl.cli.peer.PeerProvider;
import java.util.Map;
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
        if (!memory.equals("host")) {
            return Optional.of("is measured on host memory only");
        }
        // Before the class that loads the library is touched.
        return unsuited(System.getenv()).or(Mpi::absent);
    }

    /** Why a process with this environment must not load MPI. */
    static Optional<String> unsuited(Map<String, String> environment) {
        if (!environment.containsKey("OMPI_COMM_WORLD_SIZE") && !environment.containsKey("PMI_SIZE")) {
            return Optional.of(
                    "MPI wants its ranks started by its own launcher:"
                            + " mpirun -np 2 ./mini-nccl perf --compare mpi; to compare with programs in C, see bench/host/compare.sh");
        }
        if (!environment.containsKey("UCX_ERROR_SIGNALS")) {
            return Optional.of(
                    "UCX_ERROR_SIGNALS must be set, to nothing: UCX, which MPI may load, else takes over signals by"
                            + " which the JVM checks for null, and ends it; ./mini-nccl sets it");
        }
        return Optional.empty();
    }

    @Override
    public Peer join(PeerGroup group) {
        return Mpi.join(group.rank(), group.size());
    }
}
