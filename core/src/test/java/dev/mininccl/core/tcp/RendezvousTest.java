package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.PollSet;
import dev.mininccl.bindings.posix.SockAddr;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class RendezvousTest {

    private static final Settings DEFAULTS = Settings.defaults().with(Setting.SLICE_SIZE, "4096");

    @ParameterizedTest
    @EnumSource
    void fiveRanksMeet(Medium medium) {
        try (Ranks ranks = new Ranks(medium, DEFAULTS.with(Setting.SOCKETS, "2"), "a", "a", "a", "a", "a")) {
            ranks.attachAll();
            for (int rank = 1; rank < 5; rank++) {
                for (int peer = 0; peer < rank; peer++) {
                    for (int channel = 0; channel < Ranks.CHANNELS; channel++) {
                        Link[] ends = {ranks.link(rank, peer, channel), ranks.link(peer, rank, channel)};
                        SocketLanesTest.exchange(ends, 10, rank * 10L + peer);
                    }
                }
            }
        }
    }

    @Test
    void machinesMeetThroughTheNetwork() {
        assumeTrue(!Interfaces.ofThisMachine().addresses().isEmpty(), "no interface but loopback");
        try (Ranks ranks = new Ranks(Medium.TCP, DEFAULTS, "a", "b", "a")) {
            ranks.attachAll();
            assertThat(ranks.link(1, 0, 0).description())
                    .doesNotContain("127.0.0.1")
                    .doesNotContain("::1");
            assertThat(ranks.link(2, 0, 0).description()).containsAnyOf("127.0.0.1", "::1");
        }
    }

    @Test
    void jobOnOneMachineDoesNotListenOnTheNetwork() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096)) {
            ranks.attachAll();
            for (SockAddr address :
                    Contact.decode(ranks.transports.getFirst().address()).distant()) {
                try (Socket stranger = Socket.open(address.family())) {
                    stranger.connect(address);
                    stranger.await(PollSet.POLLOUT, 500);
                    assertThat(stranger.pendingError()).as(address::toString).isEqualTo(Errno.ECONNREFUSED);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void strangersCostOnlyTheirOwnConnection(Medium medium) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<Socket> strangers = new ArrayList<>();
        try (Ranks ranks = Ranks.two(medium, 1, 4096);
                Arena arena = Arena.ofConfined()) {
            SockAddr door = Contact.decode(ranks.transports.getFirst().address())
                    .nearby()
                    .getFirst();
            for (int i = 0; i < 100; i++) {
                strangers.add(stranger(door, random, arena));
            }
            long begin = System.nanoTime();
            ranks.attachAll();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
            SocketLanesTest.exchange(new Link[] {ranks.link(0, 1, 0), ranks.link(1, 0, 0)}, 50, seed);
        } finally {
            strangers.forEach(Socket::close);
        }
    }

    /** Some say nothing, some a part of a greeting, some rubbish, some a greeting with a wrong token; some leave at once. */
    private static Socket stranger(SockAddr door, Random random, Arena arena) {
        Socket socket = Socket.open(door.family());
        socket.connect(door);
        socket.await(PollSet.POLLOUT, 1000);
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            ByteBuffer greeting = ByteBuffer.allocate(Greeting.BYTES);
            new Greeting(random.nextInt(3), random.nextInt(3), Token.random()).write(greeting);
            bytes = Arrays.copyOf(greeting.array(), random.nextInt(Greeting.BYTES + 1));
        }
        MemorySegment out = arena.allocate(128, 8);
        MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, 0, bytes.length);
        if (bytes.length > 0) {
            socket.send(out.address(), bytes.length);
        }
        if (random.nextInt(4) == 0) {
            socket.close();
        }
        return socket;
    }

    @Test
    void connectionGivenUpInTheBacklogIsNotUsed() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096);
                Arena arena = Arena.ofConfined()) {
            Contact zero = Contact.decode(ranks.transports.getFirst().address());
            Socket early = Socket.open(zero.nearby().getFirst().family());
            early.connect(zero.nearby().getFirst());
            early.await(PollSet.POLLOUT, 1000);
            ByteBuffer greeting = ByteBuffer.allocate(Greeting.BYTES);
            new Greeting(1, 0, zero.token()).write(greeting);
            MemorySegment out = arena.allocate(Greeting.BYTES);
            MemorySegment.copy(greeting.array(), 0, out, ValueLayout.JAVA_BYTE, 0, Greeting.BYTES);
            early.send(out.address(), Greeting.BYTES);
            early.close();
            ranks.attachAll();
            SocketLanesTest.exchange(new Link[] {ranks.link(0, 1, 0), ranks.link(1, 0, 0)}, 50, 1);
        }
    }

    @Test
    void missingPeerIsNamedWithAddressesAndErrors() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096)) {
            List<byte[]> addresses =
                    ranks.transports.stream().map(SocketTransport::address).toList();
            ranks.transports.getFirst().close();
            BitSet wanted = new BitSet();
            wanted.set(0);
            List<String> reasons =
                    ranks.transports.getLast().attach(addresses, wanted, Deadline.after(Duration.ofMillis(300)));
            assertThat(reasons.get(0))
                    .startsWith("rank 0 was not reached, 0 of 2 connections made: 127.0.0.1:")
                    .endsWith(" ECONNREFUSED (111): Connection refused");
            assertThat(reasons.get(1)).isNull();
        }
    }

    @Test
    void peerThatDoesNotComeIsNamed() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096)) {
            List<byte[]> addresses =
                    ranks.transports.stream().map(SocketTransport::address).toList();
            BitSet wanted = new BitSet();
            wanted.set(1);
            List<String> reasons =
                    ranks.transports.getFirst().attach(addresses, wanted, Deadline.after(Duration.ofMillis(200)));
            assertThat(reasons.get(1))
                    .startsWith("rank 1 did not connect to [127.0.0.1:")
                    .endsWith("0 of 2 connections made");
        }
    }

    @Test
    void abortEndsAttaching() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096)) {
            List<byte[]> addresses =
                    ranks.transports.stream().map(SocketTransport::address).toList();
            BitSet wanted = new BitSet();
            wanted.set(1);
            CompletableFuture<List<String>> attaching = Ranks.onThread(
                    "rank-0",
                    () -> ranks.transports
                            .getFirst()
                            .attach(addresses, wanted, Deadline.after(Duration.ofSeconds(50))));
            ranks.abort.raiseRelease();
            assertThat(attaching.join().get(1)).contains("rank 1");
        }
    }

    @Test
    void otherSettingsAreRefusedWithBothValues() {
        try (Ranks one = new Ranks(Medium.TCP, DEFAULTS, "a", "a");
                Ranks two = new Ranks(Medium.TCP, DEFAULTS.with(Setting.SOCKETS, "3"), "a", "a")) {
            List<byte[]> addresses = List.of(
                    one.transports.getFirst().address(),
                    two.transports.getLast().address());
            BitSet wanted = new BitSet();
            wanted.set(1);
            List<String> reasons =
                    one.transports.getFirst().attach(addresses, wanted, Deadline.after(Duration.ofSeconds(30)));
            assertThat(reasons.get(1)).contains("rank 1").contains("sockets=3").contains("sockets=1");
        }
    }

    @Test
    void unixSocketsEndAtTheMachine() {
        try (Ranks ranks = new Ranks(Medium.UNIX, DEFAULTS, "a", "b")) {
            List<List<String>> reasons = ranks.attach(Duration.ofSeconds(30));
            assertThat(reasons.get(0).get(1)).isEqualTo("rank 1 is on another machine or in another network namespace");
            assertThat(reasons.get(1).get(0)).startsWith("rank 0 is on another machine");
        }
    }

    @Test
    void anAddressThatIsNoContactIsARefusal() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 1, 4096)) {
            BitSet wanted = new BitSet();
            wanted.set(1);
            List<byte[]> addresses = List.of(new byte[1], new byte[] {0, 0, 0, 1, 5});
            List<String> reasons =
                    ranks.transports.getFirst().attach(addresses, wanted, Deadline.after(Duration.ofSeconds(30)));
            assertThat(reasons.get(1)).isEqualTo("rank 1: contact of 5 bytes ends too early");
        }
    }
}
