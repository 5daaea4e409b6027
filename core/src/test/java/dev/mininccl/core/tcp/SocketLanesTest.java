package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.Link;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Slices of all sizes, both ways at once, from one thread. */
@Timeout(60)
class SocketLanesTest {

    private static final int SLICE = 8192;

    static Stream<Arguments> mediaAndSockets() {
        return Stream.of(Medium.values()).flatMap(medium -> Stream.of(1, 2, 4).map(k -> Arguments.of(medium, k)));
    }

    @ParameterizedTest
    @MethodSource("mediaAndSockets")
    void randomSlicesArriveInOrder(Medium medium, int sockets) {
        try (Ranks ranks = Ranks.two(medium, sockets, SLICE)) {
            ranks.attachAll();
            Link[][] links = new Link[Ranks.CHANNELS][2];
            for (int channel = 0; channel < Ranks.CHANNELS; channel++) {
                links[channel][0] = ranks.link(0, 1, channel);
                links[channel][1] = ranks.link(1, 0, channel);
            }
            ranks.transports.forEach(SocketTransport::settled);
            for (Link[] ends : links) {
                long seed = System.nanoTime();
                System.out.println("seed " + seed + " " + medium + " " + sockets + " " + ends[0].description());
                exchange(ends, 2000, seed);
            }
        }
    }

    @Test
    void slicesCrossBuffersMuchSmallerThanThey() {
        try (Arena arena = Arena.ofConfined()) {
            Socket[] pair = Socket.pair();
            pair[0].sendBuffer(4608);
            pair[1].sendBuffer(4608);
            Link[] ends = new Link[2];
            for (int end = 0; end < 2; end++) {
                Socket[] sockets = {pair[end]};
                ends[end] = new SocketLink(Medium.UNIX, 1 - end, sockets, 1 << 20, 2, arena);
            }
            long seed = System.nanoTime();
            System.out.println("seed " + seed);
            exchange(ends, 60, seed);
            ends[0].close();
            ends[1].close();
        }
    }

    @Test
    void bothEndsSendSmallSlicesAtOnceAndUnpacedWithinAMachine() {
        try (Ranks ranks = Ranks.two(Medium.TCP, 2, SLICE)) {
            ranks.attachAll();
            for (int rank = 0; rank < 2; rank++) {
                SocketLink link = (SocketLink) ranks.link(rank, 1 - rank, 1);
                assertThat(link.sockets()).hasSize(2).allMatch(Socket::tcpNoDelay);
                assertThat(link.sockets()).extracting(Socket::congestionControl).containsOnly("reno");
            }
        }
    }

    /** Interleaves at random: offers, progress and polls of both ends. */
    static void exchange(Link[] ends, int slices, long seed) {
        Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            Flow[] flows = {
                new Flow(ends[0], ends[1], slices, random, arena), new Flow(ends[1], ends[0], slices, random, arena)
            };
            while (!flows[0].finished() || !flows[1].finished()) {
                flows[random.nextInt(2)].step(random.nextInt(4));
            }
            for (Link end : ends) {
                assertThat(end.send().offered()).isEqualTo(slices);
                assertThat(end.send().released()).isEqualTo(slices);
                assertThat(end.receive().failure()).isNull();
            }
        }
    }

    /** One direction: every slice has a size, a content and a fingerprint that follow from its number. */
    private static final class Flow {
        private final Link from;
        private final Link to;
        private final int slices;
        private final int[] sizes;
        private final boolean[] direct;
        private final int places;
        private final int slot;
        private final long source;
        private final long target;
        private int offered;
        private int received;
        private boolean expected;

        Flow(Link from, Link to, int slices, Random random, Arena arena) {
            this.from = from;
            this.to = to;
            this.slices = slices;
            slot = from.send().slotBytes();
            places = from.send().depth();
            sizes = random.ints(slices, 0, 10).map(kind -> size(kind, random)).toArray();
            direct = new boolean[slices];
            for (int i = 0; i < slices; i++) {
                direct[i] = random.nextBoolean();
            }
            source = arena.allocate((long) places * slot + 64, 128).address() + 1;
            target = arena.allocate(slot + 64L, 128).address() + 3;
        }

        private int size(int kind, Random random) {
            return switch (kind) {
                case 0 -> 0;
                case 1 -> slot;
                case 2 -> slot - random.nextInt(100);
                case 3, 4 -> random.nextInt(slot + 1);
                case 5 -> 1020 + random.nextInt(10);
                default -> random.nextInt(600);
            };
        }

        boolean finished() {
            return received == slices && from.send().released() == slices;
        }

        void step(int what) {
            switch (what) {
                case 0 -> offer();
                case 1 -> from.send().progress();
                default -> receive();
            }
        }

        private void offer() {
            // A place may be written again only when the slice that lay there is released.
            if (offered == slices || offered - from.send().released() >= places) {
                return;
            }
            long at = source + (long) (offered % places) * slot;
            fill(at, sizes[offered], offered);
            if (from.send().offer(at, sizes[offered], 1000 + offered)) {
                offered++;
            }
        }

        private void receive() {
            if (received == slices) {
                return;
            }
            if (!expected) {
                to.receive().expect(direct[received] ? target : 0, sizes[received], 1000 + received);
                expected = true;
            }
            long at = to.receive().poll();
            if (at == 0) {
                return;
            }
            assertThat(at).as(() -> received + " " + to.receive().failure()).isPositive();
            if (direct[received]) {
                assertThat(at).isEqualTo(target);
            } else {
                assertThat(at % 128).isZero();
            }
            check(at, sizes[received], received);
            to.receive().release();
            received++;
            expected = false;
        }

        private static void fill(long at, int bytes, int number) {
            for (int i = 0; i < bytes; i++) {
                NativeMemory.putByte(at + i, (byte) (i * 31 + number * 7));
            }
        }

        private static void check(long at, int bytes, int number) {
            for (int i = 0; i < bytes; i++) {
                byte want = (byte) (i * 31 + number * 7);
                if (NativeMemory.getByte(at + i) != want) {
                    assertThat(NativeMemory.getByte(at + i))
                            .as("slice %d byte %d of %d", number, i, bytes)
                            .isEqualTo(want);
                }
            }
        }
    }
}
