package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.mininccl.bindings.posix.Mman;
import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport with slots in memory must do. */
@ParameterizedClass
@ValueSource(strings = {"local", "shm"})
@Timeout(120)
class SlotTransportTest {

    private static final long FINGERPRINT = 0x77_0000_0001L;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Settings SETTINGS =
            Settings.defaults().with(Setting.SLICE_SIZE, "4096").with(Setting.SLOTS, "3");

    private final String transport;

    SlotTransportTest(String transport) {
        this.transport = transport;
    }

    private Pair pair(int channels) throws Exception {
        return new Pair(Providers.named(transport), channels, SETTINGS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 31, 32, 33, 87, 127, 128, 4095, 4096})
    void arrivesWithAndWithoutDestination(int bytes) throws Exception {
        try (Pair pair = pair(1)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            MemorySegment source = pair.arena.allocate(bytes + 1);
            MemorySegment destination = pair.arena.allocate(bytes + 1);
            fill(source, bytes, bytes);
            assertThat(send.offer(source.address(), bytes, FINGERPRINT)).isTrue();
            assertThat(send.offer(source.address(), bytes, FINGERPRINT)).isTrue();
            receive.expect(0, bytes, FINGERPRINT);
            assertThat(view(receive.poll(), bytes).mismatch(source.asSlice(0, bytes)))
                    .isEqualTo(-1);
            receive.release();
            receive.expect(destination.address(), bytes, FINGERPRINT);
            assertThat(receive.poll()).isEqualTo(destination.address());
            assertThat(destination.asSlice(0, bytes).mismatch(source.asSlice(0, bytes)))
                    .isEqualTo(-1);
            receive.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 4097, 100_000, 256 * 1024})
    void referencesArriveWithAndWithoutDestination(int bytes) throws Exception {
        try (Pair pair = pair(1)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            assertThat(send.referenceBytes()).isEqualTo(256 * 1024);
            MemorySegment source = pair.arena.allocate(bytes);
            MemorySegment destination = pair.arena.allocate(bytes);
            fill(source, bytes, bytes);
            for (int i = 0; i < 2; i++) {
                assertThat(send.offerReference(source.address(), bytes, FINGERPRINT))
                        .isTrue();
                assertThat(send.released()).isEqualTo(i);
                receive.expect(i * destination.address(), bytes, FINGERPRINT);
                assertThat(view(receive.poll(), bytes).mismatch(source)).isEqualTo(-1);
                receive.release();
                assertThat(send.released()).isEqualTo(i + 1);
            }
            assertThat(destination.mismatch(source)).isEqualTo(-1);
        }
    }

    /** A rank that failed frees its memory; the other one must survive its attempt to read there. */
    @Test
    void referenceToFreedMemoryFails() throws Exception {
        try (Pair pair = pair(1)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            long source = Mman.mapAnonymous(4096);
            send.offerReference(source, 4096, FINGERPRINT);
            Mman.unmap(source, 4096);
            receive.expect(0, 4096, FINGERPRINT);
            assertThat(receive.poll()).isEqualTo(ReceiveLane.FAILED);
            assertThat(receive.failure()).contains("memory of rank 0", "process_vm_readv failed: EFAULT");
        }
    }

    @Test
    void crossMemoryCanBeOff() throws Exception {
        try (Pair pair = new Pair(Providers.named(transport), 1, SETTINGS.with(Setting.CROSS_MEMORY, "off"))) {
            assertThat(pair.connect().send().referenceBytes()).isZero();
        }
    }

    /** Many times around the ring, all sizes, with and without destination; both sides know the sizes from the seed. */
    @Test
    void manySlicesBothWaysAtOnce() throws Exception {
        long seed = System.nanoTime();
        System.out.println(transport + ": seed " + seed);
        try (Pair pair = pair(2)) {
            pair.connect();
            Exchange zero = new Exchange(pair.zero.link(1, 1), seed, 0);
            Exchange one = new Exchange(pair.linkOfOne(1), seed, 1);
            CompletableFuture<Void> other = CompletableFuture.runAsync(one::run, Thread.ofPlatform()::start);
            zero.run();
            other.join();
        }
    }

    @Test
    void differencesAreSeen() throws Exception {
        try (Pair pair = pair(1)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            MemorySegment source = pair.arena.allocate(4096);
            send.offer(source.address(), 4096, FINGERPRINT);
            receive.expect(0, 4096, FINGERPRINT + 1);
            assertThat(receive.poll()).isEqualTo(ReceiveLane.MISMATCH);
            receive.expect(0, 4095, FINGERPRINT);
            assertThat(receive.poll()).isEqualTo(ReceiveLane.MISMATCH);
            receive.expect(0, 4096, FINGERPRINT);
            assertThat(receive.poll()).isPositive();
        }
    }

    @Test
    void channelsDoNotMix() throws Exception {
        try (Pair pair = pair(3)) {
            pair.connect();
            MemorySegment source = pair.arena.allocate(4096);
            for (int channel = 0; channel < 3; channel++) {
                fill(source, 4096, channel);
                assertThat(pair.zero.link(1, channel).send().offer(source.address(), 4096, FINGERPRINT))
                        .isTrue();
                fill(source, 4096, channel + 10);
                assertThat(pair.linkOfOne(channel).send().offer(source.address(), 4096, FINGERPRINT))
                        .isTrue();
            }
            for (int channel = 0; channel < 3; channel++) {
                check(receive(pair.linkOfOne(channel)), 4096, channel);
                check(receive(pair.zero.link(1, channel)), 4096, channel + 10);
            }
        }
    }

    private static long receive(Link link) {
        link.receive().expect(0, 4096, FINGERPRINT);
        return link.receive().poll();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 32, 4096})
    void allocatesNothing(int bytes) throws Exception {
        try (Pair pair = pair(1)) {
            Link here = pair.connect();
            Link there = pair.linkOfOne(0);
            long source = pair.arena.allocate(bytes).address();
            long allocated = Long.MAX_VALUE;
            // Interpreted code may allocate where compiled code does not.
            for (int round = 0; round < 50 && allocated > 0; round++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 5_000; i++) {
                    passOver(here, there, source, bytes);
                }
                allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(allocated).isZero();
        }
    }

    private static void passOver(Link here, Link there, long source, int bytes) {
        if (!here.send().offer(source, bytes, FINGERPRINT)) {
            throw new AssertionError("full");
        }
        takeOver(there.receive(), bytes);
        if (!here.send().offerReference(source, bytes, FINGERPRINT)) {
            throw new AssertionError("full");
        }
        takeOver(there.receive(), bytes);
        if (here.send().released() != here.send().offered()) {
            throw new AssertionError("not released");
        }
    }

    private static void takeOver(ReceiveLane receive, int bytes) {
        receive.expect(0, bytes, FINGERPRINT);
        if (receive.poll() <= 0) {
            throw new AssertionError("not there");
        }
        receive.release();
    }

    private static void fill(MemorySegment segment, int bytes, int salt) {
        for (int i = 0; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + salt));
        }
    }

    private static void check(long address, int bytes, int salt) {
        for (int i = 0; i < bytes; i++) {
            if (NativeMemory.getByte(address + i) != (byte) (i * 31 + salt)) {
                throw new AssertionError("byte " + i + " of " + bytes + ", salt " + salt);
            }
        }
    }

    private static MemorySegment view(long address, int bytes) {
        assertThat(address).isPositive();
        return NativeMemory.segment(address, bytes);
    }

    /** One rank of two that send as far ahead as the lane takes and receive what has come. */
    private static final class Exchange {

        private static final int SLICES = 20_000;

        private final Link link;
        private final int rank;
        private final Random sentSizes;
        private final Random receivedSizes;
        private final Random choices;
        private int sent;
        private int sentSize;

        Exchange(Link link, long seed, int rank) {
            this.link = link;
            this.rank = rank;
            sentSizes = new Random(seed + rank);
            receivedSizes = new Random(seed + 1 - rank);
            choices = new Random(seed + 2 + rank);
            sentSize = size(sentSizes);
        }

        void run() {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment from = arena.allocate(4096);
                MemorySegment to = arena.allocate(4096);
                for (int received = 0; received < SLICES; received++) {
                    int bytes = size(receivedSizes);
                    long destination = choices.nextBoolean() ? to.address() : 0;
                    link.receive().expect(destination, bytes, FINGERPRINT + received);
                    long address = link.receive().poll();
                    while (address == ReceiveLane.NOTHING) {
                        send(from);
                        Thread.yield();
                        address = link.receive().poll();
                    }
                    check(address, bytes, 2 * received + 1 - rank);
                    link.receive().release();
                }
                while (sent < SLICES) {
                    send(from);
                    Thread.yield();
                }
            }
        }

        private void send(MemorySegment from) {
            if (sent == SLICES) {
                return;
            }
            fill(from, sentSize, 2 * sent + rank);
            if (link.send().offer(from.address(), sentSize, FINGERPRINT + sent)) {
                sent++;
                sentSize = size(sentSizes);
            }
        }

        private static int size(Random sizes) {
            return sizes.nextBoolean() ? sizes.nextInt(100) : sizes.nextInt(4097);
        }
    }
}
