package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lanes over a real device, hardware or Soft-RoCE: between two devices, if there are two, else within one. */
@Timeout(300)
class VerbsLanesTest {

    private static final long FINGERPRINT = 0x77_0000_0001L;
    private static final long LIMIT_NANOS = Duration.ofSeconds(20).toNanos();
    private static final Settings SETTINGS =
            Settings.defaults().with(Setting.SLICE_SIZE, "8192").with(Setting.SLOTS, "3");

    @BeforeEach
    void device() {
        Pair.assumeDevice();
    }

    private static long await(ReceiveLane receive) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        long address = receive.poll();
        while (address == ReceiveLane.NOTHING && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            address = receive.poll();
        }
        return address;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 64, 1007, 1008, 1009, 8191, 8192})
    void arrivesWithAndWithoutDestination(int bytes) throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            long source = pair.arena.allocate(bytes + 1L).address();
            long destination = pair.arena.allocate(bytes + 1L).address();
            Exchange.fill(source, bytes, bytes);
            assertThat(send.offer(source, bytes, FINGERPRINT)).isTrue();
            assertThat(send.offer(source, bytes, FINGERPRINT)).isTrue();
            assertThat(send.released()).isEqualTo(2);
            for (long place : new long[] {0, destination}) {
                receive.expect(place, bytes, FINGERPRINT);
                long address = await(receive);
                assertThat(address).isPositive();
                assertThat(place == 0 || address == place).isTrue();
                assertThat(NativeMemory.segment(address, bytes).mismatch(NativeMemory.segment(source, bytes)))
                        .isEqualTo(-1);
                receive.release();
            }
        }
    }

    /** Many times around the ring with windows and slices of all shapes. */
    @ParameterizedTest
    @CsvSource({"64,16,8192,3", "1,1,8192,2", "2,4096,4999,5", "3,2,10001,4", "4096,64,65536,8"})
    void manySlicesBothWaysAtOnce(String window, String batch, String slice, String slots) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Settings settings = SETTINGS.with(Setting.WINDOW_SIZE, window)
                .with(Setting.SIGNAL_BATCH, batch)
                .with(Setting.SLICE_SIZE, slice)
                .with(Setting.SLOTS, slots);
        try (Pair pair = new Pair(2, settings, settings)) {
            pair.connect();
            Exchange zero = new Exchange(pair.zero.link(1, 1), 300, seed, 0);
            Exchange one = new Exchange(pair.linkOfOne(1), 300, seed, 1);
            CompletableFuture<Void> other = CompletableFuture.runAsync(one::run, Thread.ofPlatform()::start);
            zero.run();
            other.join();
        }
    }

    @Test
    void differencesAreSeen() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            long source = pair.arena.allocate(8).address();
            assertThat(send.offer(source, 8, FINGERPRINT)).isTrue();
            receive.expect(0, 8, FINGERPRINT + 1);
            assertThat(await(receive)).isEqualTo(ReceiveLane.MISMATCH);
            receive.expect(0, 7, FINGERPRINT);
            assertThat(await(receive)).isEqualTo(ReceiveLane.MISMATCH);
            receive.expect(0, 8, FINGERPRINT);
            assertThat(await(receive)).isPositive();
        }
    }

    @Test
    void fullLaneTakesNoMore() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            SendLane send = pair.connect().send();
            ReceiveLane receive = pair.linkOfOne(0).receive();
            long source = pair.arena.allocate(8).address();
            for (int slice = 0; slice < 3; slice++) {
                assertThat(send.offer(source, 8, FINGERPRINT)).isTrue();
            }
            assertThat(send.offer(source, 8, FINGERPRINT)).isFalse();
            receive.expect(0, 8, FINGERPRINT);
            assertThat(await(receive)).isPositive();
            receive.release();
            long deadline = System.nanoTime() + LIMIT_NANOS;
            while (!send.offer(source, 8, FINGERPRINT)) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    /** The peer's queue pair is gone without a word, as after a kill. */
    @Test
    void lostPeerIsNamedWithCauseAndHint() throws Exception {
        Settings settings = SETTINGS.with(Setting.TIMEOUT, "1000");
        try (Pair pair = new Pair(1, settings, settings)) {
            Link link = pair.connect();
            ((VerbsTransport) pair.one).abandon();
            long source = pair.arena.allocate(8).address();
            assertThat(link.send().offer(source, 8, FINGERPRINT)).isTrue();
            link.receive().expect(0, 8, FINGERPRINT);
            assertThat(await(link.receive())).isEqualTo(ReceiveLane.FAILED);
            assertThat(link.receive().failure())
                    .startsWith("verbs link to rank 1 at GID ")
                    .contains(
                            "status 12",
                            "retry counter exceeded",
                            "the peer does not answer",
                            " over ",
                            "queue pair 0x");
            assertThat(link.send().offer(source, 8, FINGERPRINT)).isFalse();
        }
    }

    @Test
    void otherLanesAreRefusedOnBothSides() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS.with(Setting.SLOTS, "5"))) {
            Pair.Verdicts verdicts = pair.attach();
            assertThat(verdicts.ofZero()).contains("3 slots of 8192 B here, 1 x 5 slots of 8192 B there");
            assertThat(verdicts.ofOne()).startsWith("lanes differ");
        }
    }

    @Test
    void absentPeerCostsTheDeadlineAndNoMore() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            List<byte[]> addresses = List.of(pair.zero.address(), pair.one.address());
            long begin = System.nanoTime();
            assertThat(Pair.attach(pair.zero, 1, addresses, Deadline.after(Duration.ofMillis(300))))
                    .startsWith("deadline passed: the ping was not acknowledged over ");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void saysWhatWasProven() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            assertThat(pair.connect().description()).contains("3 slots of 8192 B, path MTU ", "ping proven");
        }
    }

    @Test
    void offeringAndTakingAllocateNothing() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            Link here = pair.connect();
            Link there = pair.linkOfOne(0);
            long source = pair.arena.allocate(8192).address();
            Allocations.assertNone(() -> passOver(here, there, source, 64) + passOver(here, there, source, 8192));
        }
    }

    private static long passOver(Link here, Link there, long source, int bytes) {
        while (!here.send().offer(source, bytes, FINGERPRINT)) {
            here.send().progress();
        }
        there.receive().expect(0, bytes, FINGERPRINT);
        long address = await(there.receive());
        if (address <= 0) {
            throw new AssertionError("poll: " + address);
        }
        there.receive().release();
        return address;
    }

    /** Files that the kernel opens for a context, and threads; the guest's script looks at the kernel's own lists. */
    @Test
    void manyCyclesLeaveNothing() throws Exception {
        cycle();
        long descriptors = entries("/proc/self/fd");
        long threads = eventThreads();
        for (int i = 0; i < 30; i++) {
            cycle();
        }
        assertThat(entries("/proc/self/fd")).isLessThanOrEqualTo(descriptors + 2);
        assertThat(eventThreads()).isEqualTo(threads).isZero();
    }

    private static void cycle() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            pair.connect();
            pair.linkOfOne(0);
        }
    }

    private static long entries(String folder) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of(folder))) {
            return entries.count();
        }
    }

    private static long eventThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("mininccl-verbs-events"))
                .count();
    }
}
