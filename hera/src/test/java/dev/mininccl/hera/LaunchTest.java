package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.InvalidCallException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchTest {

    private static Map<String, String> environment(String text) {
        Map<String, String> environment = new HashMap<>();
        for (String pair : text.split(" ", -1)) {
            environment.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        return environment;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RANK=1 WORLD_SIZE=4 MASTER_ADDR=node7 MASTER_PORT=29500 | 1 | 4 | node7 | 29500",
                "RANK=0 WORLD_SIZE=1 | 0 | 1 | 127.0.0.1 | 9999",
                "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_NTASKS=1 | 2 | 3 | 127.0.0.1 | 9999",
                "PMI_RANK=2 PMI_SIZE=3 MASTER_ADDR=::1 | 2 | 3 | ::1 | 9999",
                "SLURM_PROCID=3 SLURM_NTASKS=8 SLURM_JOB_NUM_NODES=2 SLURM_STEP_NODELIST=gpu[03-04] | 3 | 8 | gpu03 | 9999",
                "SLURM_PROCID=3 SLURM_NTASKS=8 SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=gpu03 | 3 | 8 | 127.0.0.1 | 9999",
                "JOB_COMPLETION_INDEX=5 WORLD_SIZE=6 MASTER_ADDR=job-0.svc | 5 | 6 | job-0.svc | 9999",
            })
    void readsLaunchers(String environment, int rank, int size, String host, int port) {
        assertThat(Launch.fromEnvironment(environment(environment))).contains(new Launch(rank, size, host, port));
    }

    @ParameterizedTest
    @CsvSource({"HOME=/root", "RANK=1", "WORLD_SIZE=2", "JOB_COMPLETION_INDEX=3"})
    void halfALaunchIsNone(String environment) {
        assertThat(Launch.fromEnvironment(environment(environment))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RANK=4 WORLD_SIZE=4 | RANK=4: must be a number from 0 to 3",
                "RANK=-1 WORLD_SIZE=4 | RANK=-1: must be a number from 0 to 3",
                "RANK=x WORLD_SIZE=4 | RANK=x: must be a number from 0 to 3",
                "RANK=0 WORLD_SIZE=0 | WORLD_SIZE=0: must be a number from 1 to",
                "RANK=0 WORLD_SIZE=2 MASTER_PORT=70000 | MASTER_PORT=70000: must be a number from 1 to 65535",
            })
    void namesTheBadVariable(String environment, String message) {
        assertThatThrownBy(() -> Launch.fromEnvironment(environment(environment)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
    }

    @Test
    void findsTheFirstNode() {
        assertThat(Launch.firstNode("gpu[03-07,12],login1")).isEqualTo("gpu03");
        assertThat(Launch.firstNode("rack[1-2]n[1-4]")).isEqualTo("rack1n1");
        assertThat(Launch.firstNode("alpha,beta")).isEqualTo("alpha");
        assertThat(Launch.firstNode("login-2,login-3")).isEqualTo("login-2");
    }
}
