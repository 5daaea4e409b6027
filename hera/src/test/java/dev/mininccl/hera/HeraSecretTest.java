package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.BootstrapProvider.Request;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.Proofs;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HeraSecretTest {

    private static final byte[] SECRET = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OTHER = "some other passphrase".getBytes(StandardCharsets.UTF_8);

    private static HeraMaster.Options options() {
        return HeraMaster.Options.ofWorld(2).withPort(0).withLinger(Duration.ZERO);
    }

    private static Request request(int rank, int port, byte[] secret) {
        return new Request(rank, 2, "127.0.0.1", port, secret, false, "", Duration.ofSeconds(1));
    }

    @Test
    void listeningBeyondThisMachineDemandsASecret() {
        for (String address : List.of("0.0.0.0", "::")) {
            assertThatThrownBy(() -> HeraMaster.start(options().withListen(address)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("secret");
        }
        assertThatThrownBy(() -> options().withSecret(new byte[0])).isInstanceOf(InvalidCallException.class);
    }

    @Test
    void whoKnowsTheSecretGetsInAndNobodyElse() throws Exception {
        try (HeraMaster master =
                HeraMaster.start(options().withListen("0.0.0.0").withSecret(SECRET))) {
            assertThatThrownBy(() -> Workers.join(request(0, master.port(), OTHER)))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("the secret differs from the master's");
            assertThatThrownBy(() -> Workers.join(request(0, master.port(), null)))
                    .hasMessageContaining("demands the job's secret");
            assertThatThrownBy(() -> HeraStatus.query("127.0.0.1", master.port(), null, Workers.LIMIT))
                    .hasMessageContaining("demands the job's secret");
            assertThat(HeraStatus.query("127.0.0.1", master.port(), SECRET, Workers.LIMIT)
                            .text())
                    .contains("0 of 2 ranks have registered");
            List<Bootstrap> ranks = Workers.together(List.<Callable<Bootstrap>>of(
                    () -> Workers.join(request(0, master.port(), SECRET)),
                    () -> Workers.join(request(1, master.port(), SECRET))));
            Workers.closeAll(ranks);
            assertThat(master.awaitEnd(Workers.LIMIT)).isTrue();
        }
    }

    @Test
    void aRankWithASecretTrustsNoMasterWithout() {
        try (HeraMaster master = HeraMaster.start(options())) {
            assertThatThrownBy(() -> Workers.join(request(0, master.port(), SECRET)))
                    .hasMessageContaining("the master demands none");
        }
    }

    /** It speaks the protocol and accepts any proof, but cannot give one. */
    @Test
    void aRankFindsOutAFalseMaster() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            CompletableFuture<byte[]> heard = Workers.async(() -> {
                try (Socket socket = server.accept()) {
                    Workers.write(socket, new Message.Challenge(true, Proofs.nonce()));
                    Workers.write(socket, new Message.Welcome(new byte[32]));
                    return socket.getInputStream().readAllBytes();
                }
            });
            assertThatThrownBy(() -> Workers.join(request(0, server.getLocalPort(), SECRET)))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("the master does not know the secret");
            assertThat(new String(heard.get(), StandardCharsets.ISO_8859_1)).doesNotContain("sixteen");
        }
    }
}
