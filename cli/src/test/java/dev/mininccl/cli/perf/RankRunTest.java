package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RankRunTest {

    @Test
    void transportsAreReadFromTheExplanation() {
        String explanation = """
                rank 0 of 4, 1 channel(s)
                  rank 1 (host: a, pid 7): shm, /dev/shm, 4 slots of 131072 B
                  rank 2 (host b, pid 8): tcp, 1 socket; not shm: other machine
                  rank 3 (host b, pid 9): tcp, 1 socket; not shm: other machine""";
        assertThat(RankRun.transports(explanation)).isEqualTo("shm+tcp");
        assertThat(RankRun.transports("rank 0 of 1, 1 channel(s)")).isEqualTo("none");
    }

    @Test
    void gpusSayTheirLaneInWords() {
        assertThat(RankRun.transports("rank 0 on GPU 0: peer memory, proven by stores and flags both ways. "))
                .isEqualTo("p2p");
        assertThat(RankRun.transports("rank 0 on GPU 0: no peer memory: x. shared host memory, registered with CUDA."))
                .isEqualTo("shm");
    }
}
