package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Input from the wrong side of the network costs its own connection and nothing else. */
@Timeout(30)
class HeraAbuseTest {

    /** A job that works, whatever has happened to the master before. */
    private static void assertServes(HeraMaster master) throws Exception {
        List<Bootstrap> ranks = Workers.joinAll(master.port(), 0, 1);
        Workers.together(ranks.stream()
                .<Callable<List<byte[]>>>map(rank -> () -> rank.allGather(new byte[9], Deadline.after(Workers.LIMIT)))
                .toList());
        Workers.closeAll(ranks);
        assertThat(master.awaitEnd(Workers.LIMIT)).isTrue();
    }

    /** All that the master still says, up to the end of the stream. */
    private static String last(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            return "";
        }
    }

    @Test
    void garbage() throws Exception {
        long seed = System.nanoTime();
        System.out.println("HeraAbuseTest seed " + seed);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        try (HeraMaster master = Workers.master(2)) {
            for (int i = 0; i < 300; i++) {
                try (Socket socket = Workers.connect(master)) {
                    byte[] bytes = new byte[random.nextInt(1, 3000)];
                    random.nextBytes(bytes);
                    if (i % 3 > 0 && bytes.length > 12) {
                        ByteBuffer.wrap(bytes)
                                .putInt(0, 0x48455241)
                                .put(4, (byte) 1)
                                .put(5, (byte) random.nextInt(20))
                                .putShort(6, (short) 0)
                                .putInt(8, random.nextInt(bytes.length));
                    }
                    if (i % 2 == 0) {
                        Workers.write(socket, new Message.Hello(new byte[0]));
                    }
                    Workers.write(socket, ByteBuffer.wrap(bytes));
                    socket.shutdownOutput();
                    last(socket);
                } catch (SocketException e) {
                    // Refused in the middle of it, which is fine.
                }
            }
            assertServes(master);
        }
    }

    @Test
    void aBrowserAnOtherVersionAndAnOversizedFrameAreToldWhy() throws Exception {
        try (HeraMaster master = Workers.master(2)) {
            try (Socket socket = Workers.connect(master)) {
                Workers.write(socket, ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                assertThat(last(socket)).contains("does not speak Hera's protocol");
            }
            try (Socket socket = Workers.connect(master)) {
                Workers.write(
                        socket,
                        MessageCodec.encode(new Message.Hello(new byte[0])).put(4, (byte) 2));
                assertThat(last(socket)).contains("speaks version 2 of Hera's protocol, this side version 1");
            }
            try (Socket socket = Workers.connect(master)) {
                Workers.write(
                        socket,
                        MessageCodec.encode(new Message.Hello(new byte[5000])).limit(100));
                assertThat(last(socket)).contains("5004 bytes, allowed are 0 to 4096");
            }
            try (Socket socket = Workers.connect(master)) {
                Workers.write(socket, new Message.Leave());
                assertThat(last(socket)).contains("sent a Leave where HELLO was due");
            }
            assertServes(master);
        }
    }

    @Test
    void aDripOfBytesHoldsNobodyUp() throws Exception {
        try (HeraMaster master = Workers.master(2);
                Socket socket = Workers.connect(master)) {
            ByteBuffer hello = MessageCodec.encode(new Message.Hello(new byte[0]));
            OutputStream out = socket.getOutputStream();
            for (int i = 0; i < hello.limit() - 1; i++) {
                out.write(hello.get(i));
                out.flush();
                Thread.sleep(2);
            }
            assertServes(master);
        }
    }

    @Test
    void aFloodOfSilentConnectionsKeepsNoRankOut() throws Exception {
        List<Socket> flood = new ArrayList<>();
        try (HeraMaster master = Workers.master(2)) {
            for (int i = 0; i < 300; i++) {
                flood.add(Workers.connect(master));
            }
            // The oldest had to go.
            assertThat(flood.getFirst().getInputStream().read()).isEqualTo(-1);
            assertServes(master);
        } finally {
            for (Socket socket : flood) {
                socket.close();
            }
        }
    }

    @Test
    void whoDoesNotRegisterInTimeIsSentAway() throws Exception {
        try (HeraMaster master = Workers.master(2);
                Socket socket = Workers.connect(master)) {
            long start = System.nanoTime();
            assertThat(last(socket)).contains("took longer than 10 s to register");
            assertThat(System.nanoTime() - start).isBetween(9_900_000_000L, 15_000_000_000L);
            assertServes(master);
        }
    }

    /** It registers by hand, starts, and reads nothing while the other ranks exchange more than all buffers hold. */
    @Test
    void aRankThatDoesNotReadHoldsNobodyUpAndIsFound() throws Exception {
        try (HeraMaster master = Workers.master(2);
                Socket slow = Workers.connect(master)) {
            slow.setReceiveBufferSize(4096);
            Workers.write(slow, new Message.Hello(new byte[0]));
            Workers.write(
                    slow,
                    new Message.Register(
                            1, 2, LibraryVersion.get(), "", new Identity("slow", 7, 7, "", ""), 1000, 10_000));
            Bootstrap rank = Workers.join(Workers.request(0, 2, master.port()));
            Workers.Ear ear = Workers.Ear.on(rank, "");
            byte[] large = new byte[Frame.CONTRIBUTION_LIMIT];
            long start = System.nanoTime();
            assertThatThrownBy(() -> {
                        for (int round = 0; round < 200; round++) {
                            writeIfStillThere(slow, new Message.Gather(round, 5000, large));
                            rank.allGather(large, Deadline.after(Workers.LIMIT));
                        }
                    })
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("rank 1 (host slow, pid 7) is lost: it does not read");
            System.out.printf(
                    "a rank that does not read was found after %d ms%n", (System.nanoTime() - start) / 1_000_000);
            assertThat(ear.abort().kind()).isEqualTo(Kind.PEER_LOST);
            rank.close();
        }
    }

    private static void writeIfStillThere(Socket socket, Message message) throws IOException {
        try {
            Workers.write(socket, message);
        } catch (SocketException e) {
            // The master has ended the connection; the rank will say why.
        }
    }

    @Test
    void aRankThatBreaksTheProtocolIsNamed() throws Exception {
        try (HeraMaster master = Workers.master(2);
                Socket broken = Workers.connect(master)) {
            Workers.write(broken, new Message.Hello(new byte[0]));
            Workers.write(
                    broken,
                    new Message.Register(
                            1, 2, LibraryVersion.get(), "", new Identity("odd", 7, 7, "", ""), 1000, 10_000));
            Bootstrap rank = Workers.join(Workers.request(0, 2, master.port()));
            Workers.write(broken, new Message.StatusQuery());
            assertThat(Workers.Ear.on(rank, "").abort().message())
                    .contains("rank 1 (host odd, pid 7) is lost: it sent a StatusQuery, which no rank may send");
            rank.close();
        }
    }

    /** What looks like a master may be anything, too. */
    @Test
    void aRankThatReachesSomethingElseSaysSo() throws Exception {
        try (ServerSocket other = new ServerSocket(0)) {
            CompletableFuture<byte[]> heard = Workers.async(() -> {
                try (Socket socket = other.accept()) {
                    socket.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
                    return socket.getInputStream().readAllBytes();
                }
            });
            assertThatThrownBy(() -> Workers.join(Workers.request(0, 2, other.getLocalPort())))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("what listens at 127.0.0.1:" + other.getLocalPort())
                    .hasMessageContaining("does not speak Hera's protocol");
            assertThat(heard.get()).hasSizeGreaterThan(Integer.BYTES);
        }
    }

    @Test
    void aPortThatAcceptsAndSaysNothingIsAFailureInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> new HeraBootstrapProvider()
                            .join(Workers.request(0, 2, silent.getLocalPort()), Deadline.after(Duration.ofMillis(300))))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("no master at 127.0.0.1:" + silent.getLocalPort())
                    .hasMessageContaining("says nothing, so another program may have this port");
            assertThat(System.nanoTime() - start).isLessThan(3_000_000_000L);
        }
    }
}
