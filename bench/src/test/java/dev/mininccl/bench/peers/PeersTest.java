package dev.mininccl.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.cli.peer.PeerProvider;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(150)
class PeersTest {

    /** UCX, below MPICH, takes over signals that the JVM needs: it ends, sooner or later. */
    @AfterAll
    static void mpiWasNotLoadedIntoThisJvm() throws IOException {
        assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain("libmpi");
    }

    @Test
    void perfFindsThem() {
        assertThat(ServiceLoader.load(PeerProvider.class).stream()
                        .map(provider -> provider.get().name()))
                .containsExactlyInAnyOrder("nccl", "mpi");
    }

    @Test
    void whatTheyCannotDoIsSaid() {
        assertThat(new NcclProvider().obstacle("host"))
                .hasValueSatisfying(why -> assertThat(why).contains("--memory cuda"));
        new NcclProvider().obstacle("cuda").ifPresent(why -> assertThat(why).contains("libnccl.so.2", "NCCL_LIBRARY"));
        assertThat(new MpiProvider().obstacle("cuda"))
                .hasValueSatisfying(why -> assertThat(why).contains("host memory"));
        // Tests are not started by mpirun.
        assertThat(new MpiProvider().obstacle("host"))
                .hasValueSatisfying(why -> assertThat(why).contains("mpirun -np 2 ./mini-nccl perf --compare mpi"));
    }

    @Test
    void mpiHasNeitherShortFloatsNorAverages() {
        MpiAbi abi = MpiAbi.mpich();
        assertThat(abi.has(DataType.FLOAT32, ReduceOp.SUM)).isTrue();
        assertThat(abi.has(DataType.UINT64, ReduceOp.MIN)).isTrue();
        assertThat(abi.has(DataType.BFLOAT16, ReduceOp.SUM)).isFalse();
        assertThat(abi.has(DataType.FLOAT64, ReduceOp.AVG)).isFalse();
        assertThat(MpiAbi.shortened("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"))
                .isEqualTo("Open MPI v4.1.4");
        assertThat(MpiAbi.shortened("MPICH Version:      4.0.2\nMPICH Release date: x"))
                .isEqualTo("MPICH Version: 4.0.2");
    }

    @Test
    void mpiIsNotLoadedWhereItWouldEndTheJvm() {
        assertThat(MpiProvider.unsuited(Map.of("PMI_SIZE", "2")))
                .hasValueSatisfying(why -> assertThat(why).contains("UCX_ERROR_SIGNALS must be set"));
        assertThat(MpiProvider.unsuited(Map.of("OMPI_COMM_WORLD_SIZE", "2", "UCX_ERROR_SIGNALS", "")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "mpirun.openmpi --oversubscribe, all_reduce",
        "mpirun.openmpi --oversubscribe, all_gather",
        "mpirun.openmpi --oversubscribe, reduce_scatter",
        "mpirun.mpich, all_reduce",
        "mpirun.mpich, reduce_scatter"
    })
    void mpiWorksInTheSameProcesses(String launcher, String collective, @TempDir Path folder)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.split(" ", -1)));
        assumeTrue(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, command.getFirst()))),
                command.getFirst() + " is not installed");
        Path out = folder.resolve("out");
        command.addAll(List.of("-np", "2"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.mininccl.cli.Main"));
        command.addAll(List.of("perf", collective, "--compare", "mpi", "-b", "8", "-e", "64K", "-f", "16"));
        command.addAll(List.of("-n", "2", "-w", "1", "-o", "all"));
        ProcessBuilder mpirun =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        mpirun.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        mpirun.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        mpirun.environment().put("UCX_ERROR_SIGNALS", "");
        mpirun.environment().put("MASTER_PORT", Integer.toString(freePort()));
        mpirun.environment().put("MINI_NCCL_REDUCER", "scalar");
        Process process = mpirun.start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(out);
        assertThat(said)
                .contains("# beside mpi ", "# Time ours/mpi : ", "Result: [PASS]")
                .doesNotContain("# Wrong elements of mpi");
        assertThat(process.exitValue()).as(said).isZero();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
