package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class SocketTest {
    private static final int SECOND = 1000;

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void tcpEchoes(String host) {
        boolean six = host.equals("::1");
        assumeTrue(!six || Files.exists(Path.of("/proc/net/if_inet6")), "no IPv6 here");
        echo(SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral(host), 0)), true);
    }

    @Test
    void unixDomainEchoes(@TempDir Path folder) {
        echo(SockAddr.unix(folder.resolve("s")), false);
    }

    @Test
    void abstractNameEchoes() {
        echo(SockAddr.abstractUnix("mini-nccl-test-" + ProcessHandle.current().pid()), false);
    }

    private static void echo(SockAddr where, boolean tcp) {
        try (Socket listener = Socket.open(where.family());
                Socket client = Socket.open(where.family())) {
            listener.bind(where);
            listener.listen(4);
            assertThat(listener.accept()).isEmpty();
            SockAddr address = listener.localAddress();
            int connected = client.connect(address);
            assertThat(connected).isIn(0, -Errno.EINPROGRESS);
            assertThat(client.await(PollSet.POLLOUT, SECOND) & PollSet.POLLOUT).isEqualTo(PollSet.POLLOUT);
            assertThat(client.pendingError()).isZero();
            assertThat(client.peerAddress()).isEqualTo(address);
            assertThat(listener.await(PollSet.POLLIN, SECOND)).isEqualTo(PollSet.POLLIN);
            if (tcp) {
                assertThat(client.tcpNoDelay()).isFalse();
                client.tcpNoDelay(true);
                assertThat(client.tcpNoDelay()).isTrue();
                client.congestionControl("reno");
                assertThat(client.congestionControl()).isEqualTo("reno");
                assertThatThrownBy(() -> client.congestionControl("none-such"))
                        .isInstanceOf(PosixException.class)
                        .hasMessageContaining("TCP_CONGESTION");
            }
            try (Socket server = listener.accept().orElseThrow()) {
                roundTrip(client, server);
            }
        }
    }

    private static void roundTrip(Socket first, Socket second) {
        try (GuardedMemory memory = new GuardedMemory(16)) {
            NativeMemory.putLong(memory.address(), 0x1234567890abcdefL);
            NativeMemory.putLong(memory.address() + 8, 0);
            assertThat(second.receive(memory.address() + 8, 8)).isEqualTo(-Errno.EAGAIN);
            assertThat(first.send(memory.address(), 8)).isEqualTo(8);
            assertThat(second.await(PollSet.POLLIN, SECOND)).isEqualTo(PollSet.POLLIN);
            assertThat(second.receive(memory.address() + 8, 8)).isEqualTo(8);
            assertThat(NativeMemory.getLong(memory.address() + 8)).isEqualTo(0x1234567890abcdefL);
            first.shutdown();
            assertThat(second.await(PollSet.POLLIN, SECOND) & PollSet.POLLIN).isEqualTo(PollSet.POLLIN);
            assertThat(second.receive(memory.address(), 8)).isZero();
        }
    }

    @Test
    void fullAndBrokenConnectionsAreNegativeNumbers() {
        Socket[] ends = Socket.pair();
        try (GuardedMemory memory = new GuardedMemory(1 << 20)) {
            long sent;
            do {
                sent = ends[0].send(memory.address(), 1 << 20);
            } while (sent > 0);
            assertThat(sent).isEqualTo(-Errno.EAGAIN);
            assertThat(ends[0].await(PollSet.POLLOUT, 0)).isZero();
            ends[1].close();
            assertThat(ends[0].send(memory.address(), 1)).isIn((long) -Errno.EPIPE, (long) -Errno.ECONNRESET);
            ends[0].close();
            assertThat(ends[0].send(memory.address(), 1)).isEqualTo(-Errno.EBADF);
            assertThat(ends[0].receive(memory.address(), 1)).isEqualTo(-Errno.EBADF);
        } finally {
            List.of(ends).forEach(Socket::close);
        }
    }

    @Test
    void refusedConnectionIsAPendingErrorOrAResult() {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try (Socket bound = Socket.open(SockAddr.AF_INET);
                Socket client = Socket.open(SockAddr.AF_INET)) {
            bound.bind(SockAddr.of(new InetSocketAddress(loopback, 0)));
            int result = client.connect(bound.localAddress());
            if (result == -Errno.EINPROGRESS) {
                client.await(PollSet.POLLOUT, SECOND);
                result = -client.pendingError();
            }
            assertThat(result).isEqualTo(-Errno.ECONNREFUSED);
        }
    }

    @Test
    void boundAddressIsNamedInTheError() {
        try (Socket first = Socket.open(SockAddr.AF_INET);
                Socket second = Socket.open(SockAddr.AF_INET)) {
            first.bind(SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)));
            SockAddr taken = first.localAddress();
            assertThatThrownBy(() -> second.bind(taken))
                    .isInstanceOfSatisfying(
                            PosixException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                    .hasMessageStartingWith("bind to 127.0.0.1:")
                    .hasMessageContaining("EADDRINUSE (98): Address already in use");
            assertThatThrownBy(second::peerAddress).hasMessageContaining("ENOTCONN");
        }
    }

    @Test
    void sendBufferCanBeSized() {
        Socket[] ends = Socket.pair();
        try (GuardedMemory memory = new GuardedMemory(1 << 20)) {
            ends[0].sendBuffer(4608);
            assertThat(ends[0].send(memory.address(), 1 << 20)).isBetween(1L, 16_000L);
        } finally {
            List.of(ends).forEach(Socket::close);
        }
    }

    /** The kernel says so once, to the first call only. */
    @Test
    void aResetConnectionSaysSo() {
        try (GuardedMemory memory = new GuardedMemory(8)) {
            IoVector pieces = new IoVector(2);
            pieces.set(0, memory.address(), 4).set(1, memory.address() + 4, 4);
            assertThat(afterReset(memory, server -> server.receive(memory.address(), 8)))
                    .isEqualTo(-Errno.ECONNRESET);
            assertThat(afterReset(memory, server -> server.receive(pieces))).isEqualTo(-Errno.ECONNRESET);
            assertThat(afterReset(memory, server -> server.send(memory.address(), 8)))
                    .isEqualTo(-Errno.ECONNRESET);
            assertThat(afterReset(memory, server -> server.send(pieces))).isEqualTo(-Errno.ECONNRESET);
        }
    }

    /** What a call returns once the peer has closed its end with bytes unread, which resets the connection. */
    private static long afterReset(GuardedMemory memory, ToLongFunction<Socket> call) {
        Socket client = Socket.open(SockAddr.AF_INET);
        try (Socket listener = Socket.open(SockAddr.AF_INET)) {
            listener.bind(SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)));
            listener.listen(1);
            client.connect(listener.localAddress());
            client.await(PollSet.POLLOUT, SECOND);
            listener.await(PollSet.POLLIN, SECOND);
            try (Socket server = listener.accept().orElseThrow()) {
                server.send(memory.address(), 8);
                client.await(PollSet.POLLIN, SECOND);
                client.close();
                server.await(PollSet.POLLIN, SECOND);
                return call.applyAsLong(server);
            }
        }
    }

    @Test
    void pollSetTellsWhichIsReady() {
        Socket[] ends = Socket.pair();
        try (GuardedMemory memory = new GuardedMemory(8)) {
            PollSet set = new PollSet(3);
            set.set(0, ends[0], PollSet.POLLIN);
            set.set(2, ends[1], PollSet.POLLIN);
            assertThat(set.poll(0)).isZero();
            assertThat(ends[0].send(memory.address(), 1)).isEqualTo(1);
            assertThat(set.poll(SECOND)).isEqualTo(1);
            assertThat(List.of(set.ready(0), set.ready(1), set.ready(2))).containsExactly(0, 0, PollSet.POLLIN);
            set.clear(2);
            assertThat(set.poll(0)).isZero();
            assertThat(set.size()).isEqualTo(3);
            assertThatThrownBy(() -> set.ready(3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> new PollSet(0)).hasMessageContaining("size 0");
        } finally {
            List.of(ends).forEach(Socket::close);
        }
    }

    @Test
    void acceptedSocketsCloseOnceInAnyState() {
        Socket socket = Socket.open(SockAddr.AF_UNIX);
        assertThat(Optional.of(socket.fd()))
                .hasValueSatisfying(fd -> assertThat(fd).isNotNegative());
        socket.shutdown();
        socket.close();
        socket.close();
        socket.shutdown();
        assertThatThrownBy(() -> Fd.close(socket.fd())).hasMessageContaining("EBADF");
    }
}
