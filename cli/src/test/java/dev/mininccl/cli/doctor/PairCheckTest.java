package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.cli.HostAndPort;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class PairCheckTest {

    @Test
    void twoDoctorsMeetAndMeasure() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        HostAndPort here = new HostAndPort("127.0.0.1", port);
        CompletableFuture<List<Finding>> other =
                CompletableFuture.supplyAsync(() -> PairCheck.with(here, null), Thread.ofPlatform()::start);
        for (List<Finding> findings : List.of(PairCheck.with(here, null), other.join())) {
            assertThat(findings)
                    .extracting(Finding::subject)
                    .containsExactly("pair", "pair latency", "pair bandwidth", "pair results");
            assertThat(findings).extracting(Finding::level).containsOnly(Finding.Level.OK);
            assertThat(findings.get(1).text()).matches("all-reduce of 64 B: [0-9.]+ us typical, [0-9.]+ least");
            assertThat(findings.get(2).text()).contains(" GB/s each way at once");
        }
    }
}
