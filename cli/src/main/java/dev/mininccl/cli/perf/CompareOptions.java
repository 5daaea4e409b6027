package dev.mininccl.cli.perf;

import dev.mininccl.cli.peer.PeerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Which other libraries are measured beside this one. */
final class CompareOptions {

    @Option(
            names = "--compare",
            paramLabel = "NAMES",
            split = ",",
            description = {
                "measure others in the same processes and buffers, after ours at every size: nccl (with --memory cuda;"
                        + " libnccl.so.2, or the file that NCCL_LIBRARY names), mpi (host memory; start the ranks with"
                        + " mpirun -np N ./mini-nccl perf --compare mpi). Built stand-alone MPI and Gloo programs are"
                        + " bench/host/compare.sh's; JCuda has no collectives, see bench/device/jcuda.sh"
            })
    private List<String> names = List.of();

    /**
     * The providers named.
     *
     * @param memory where the buffers lie
     * @throws IllegalArgumentException if there is none of a name, or one that cannot be measured here
     */
    List<PeerProvider> providers(String memory) {
        return providers(memory, available());
    }

    List<PeerProvider> providers(String memory, List<PeerProvider> available) {
        List<PeerProvider> chosen = new ArrayList<>();
        for (String name : names.stream().distinct().toList()) {
            PeerProvider provider = named(name, available);
            provider.obstacle(memory).ifPresent(why -> Usage.refuse(true, "--compare " + name + ": " + why));
            chosen.add(provider);
        }
        return chosen;
    }

    private static PeerProvider named(String name, List<PeerProvider> available) {
        Usage.refuse(
                name.equals("jcuda"),
                "--compare jcuda: JCuda binds the driver and has no collectives; bench/device/jcuda.sh measures its calls"
                        + " beside ours");
        Usage.refuse(
                available.isEmpty(),
                "--compare " + name
                        + ": the peers are in the module dev.mininccl.bench, which is not on the module path;"
                        + " the launcher ./mini-nccl of a checkout builds and adds it");
        return available.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--compare " + name + ": must be one or more of "
                        + available.stream().map(PeerProvider::name).collect(Collectors.joining(", "))));
    }

    private static List<PeerProvider> available() {
        return ServiceLoader.load(PeerProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
