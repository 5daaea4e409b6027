package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.ibverbs.Device;
import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several devices a rank: only in the guest with two Soft-RoCE devices. */
@Timeout(120)
class VerbsRailsTest {

    private static final long FINGERPRINT = 77;
    private static final Settings SETTINGS =
            Settings.defaults().with(Setting.SLICE_SIZE, "8192").with(Setting.TIMEOUT, "1000");

    private String first;
    private String second;

    @BeforeEach
    void twoDevices() {
        try (DeviceList list = DeviceList.open()) {
            List<String> names = list.devices().stream().map(Device::name).toList();
            assumeTrue(names.size() >= 2, () -> "one needs two devices, there are " + names);
            first = names.get(0);
            second = names.get(1);
        }
    }

    @AfterEach
    void repair() {
        Wire.repair();
    }

    private static Settings on(String devices) {
        return SETTINGS.with(Setting.NET_DEVICE, devices);
    }

    private static void move(Link zero, Link one) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Exchange there = new Exchange(one, 50, seed, 1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(there::run, Thread.ofPlatform()::start);
        new Exchange(zero, 50, seed, 0).run();
        other.join();
    }

    /** Crosswise, so that both channels go over the wire. */
    @Test
    void channelsAreSpreadOverTheDevices() throws Exception {
        try (Pair pair = new Pair(2, on(first + "," + second), on(second + "," + first))) {
            Link zero = pair.connect();
            move(zero, pair.linkOfOne(0));
            move(pair.zero.link(1, 1), pair.linkOfOne(1));
            assertThat(zero.description())
                    .startsWith("channels [0] over " + first + ":1, GID ")
                    .contains("; channels [1] over " + second + ":1, GID ");
        }
    }

    @Test
    void ranksMayHaveDifferentNumbersOfThem() throws Exception {
        try (Pair pair = new Pair(3, on(first + "," + second + ":1"), on(second))) {
            Link zero = pair.connect();
            move(zero, pair.linkOfOne(0));
            move(pair.zero.link(1, 1), pair.linkOfOne(1));
            move(pair.zero.link(1, 2), pair.linkOfOne(2));
            assertThat(zero.description())
                    .startsWith("channels [0, 2] over " + first + ":1")
                    .contains("; channels [1] over " + second + ":1");
        }
    }

    /** Channel 1 has two ways, of which only the wire is lost: it moves to the ports of channel 0 at both ends. */
    @Test
    void portsThatDoNotReachThePeerAreLeftOut() throws Exception {
        Wire.assume();
        Wire.lose();
        try (Pair pair = new Pair(3, on(first + "," + second), on(first))) {
            Link zero = pair.connect();
            Wire.repair();
            move(zero, pair.linkOfOne(0));
            move(pair.zero.link(1, 1), pair.linkOfOne(1));
            move(pair.zero.link(1, 2), pair.linkOfOne(2));
            assertThat(zero.description())
                    .startsWith("channels [0, 1, 2] over " + first + ":1, GID ")
                    .containsPattern("; not over the ports of channel 1, verbs link to rank 1 at GID .* over " + second
                            + ":1, GID .* retry counter exceeded");
        }
    }

    /** The kernel asks for the peer's address in vain when the queue pair is connected, once for all channels that need it. */
    @Test
    void portsWhosePeerHasNoAddressAreLeftOutSoon() throws Exception {
        Wire.assume();
        Wire.lose();
        Wire.forgetNeighbours();
        try (Pair pair = new Pair(6, on(first + "," + second), on(first))) {
            long begin = System.nanoTime();
            Link zero = pair.connect();
            Duration taken = Duration.ofNanos(System.nanoTime() - begin);
            System.out.println("three of six channels left out in " + taken.toMillis() + " ms");
            assertThat(zero.description())
                    .startsWith("channels [0, 1, 2, 3, 4, 5] over " + first + ":1, GID ")
                    .contains("ibv_modify_qp of queue pair");
            assertThat(taken).isLessThan(Duration.ofSeconds(8));
            move(pair.zero.link(1, 5), pair.linkOfOne(5));
        } finally {
            Wire.learnNeighbours();
        }
    }

    /** Some channels go each way, so that which work must be found out for each. */
    @Test
    void channelsThatMoveAreSpreadOverThePortsThatWork() throws Exception {
        Wire.assume();
        Wire.lose();
        try (Pair pair = new Pair(4, on(first + "," + second), on(first + "," + second + "," + second + "," + first))) {
            Link zero = pair.connect();
            assertThat(zero.description())
                    .startsWith("channels [0, 2] over " + first + ":1, GID ")
                    .contains("; channels [1, 3] over " + second + ":1, GID ")
                    .contains("; not over the ports of channel 2, ", "; not over the ports of channel 3, ");
            move(zero, pair.linkOfOne(0));
            move(pair.zero.link(1, 3), pair.linkOfOne(3));
        }
    }

    @Test
    void whereNoPortReachesThePeerThePairIsRefused() throws Exception {
        Wire.assume();
        Wire.lose();
        try (Pair pair = new Pair(2, on(first), on(second))) {
            Pair.Verdicts verdicts = pair.attach();
            assertThat(verdicts.ofZero()).contains("verbs link to rank 1", "retry counter exceeded");
            assertThat(verdicts.ofOne()).contains("verbs link to rank 0", "retry counter exceeded");
        }
    }

    @Test
    void withoutNamesAllThatAreEquallyGoodAreTaken() throws Exception {
        try (DeviceList list = DeviceList.open()) {
            assertThat(ChosenPort.of(list, Settings.defaults()))
                    .extracting(ChosenPort::device)
                    .startsWith(first, second);
        }
    }

    @Test
    void absentDevicesAreRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> new Pair(2, on(first + ",none0"), on(first)))
                .isInstanceOf(TransportUnavailableException.class)
                .hasMessageStartingWith("MINI_NCCL_NET_DEVICE=" + first + ",none0: none0: no such device, there are [")
                .hasMessageContainingAll(first, second);
        assertThatThrownBy(() -> new Pair(2, on(first + "," + second + ":3"), on(first)))
                .hasMessageEndingWith(second + ":3: " + second + " has 1 port(s)");
    }

    /** Both devices in one operation, each with its own registrations. */
    @Test
    void collectivesUseAllDevices() {
        List<Communicator> comms = Communicator.local(
                2,
                Map.of(
                        "MINI_NCCL_TRANSPORT", "verbs",
                        "MINI_NCCL_NET_DEVICE", first + "," + second,
                        "MINI_NCCL_SLICE_SIZE", "32768",
                        "MINI_NCCL_CHANNELS", "2"));
        try {
            List<CompletableFuture<Void>> running = comms.stream()
                    .map(comm -> CompletableFuture.runAsync(
                            () -> sum(comm, 1 << 18),
                            task -> Thread.ofPlatform().start(task)))
                    .toList();
            running.forEach(CompletableFuture::join);
            assertThat(comms.getFirst().explain())
                    .containsPattern("verbs over " + first + ": [1-9][0-9]+ bytes sent in place")
                    .containsPattern("verbs over " + second + ": [1-9][0-9]+ bytes sent in place");
        } finally {
            comms.forEach(Communicator::close);
        }
    }

    private static void sum(Communicator comm, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT, count);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < count; i++) {
                    memory.setAtIndex(ValueLayout.JAVA_INT, i, (comm.rank() + 1) * (i + round));
                }
                comm.allReduce(memory, memory, count, DataType.INT32, ReduceOp.SUM);
                for (int i = 0; i < count; i++) {
                    if (memory.getAtIndex(ValueLayout.JAVA_INT, i) != 3 * (i + round)) {
                        throw new AssertionError("rank " + comm.rank() + ", round " + round + ", element " + i);
                    }
                }
            }
        }
    }

    /** The peer's end on one device goes: that channel fails and says where, the other goes on. */
    @Test
    void failureNamesTheDevice() throws Exception {
        try (Pair pair = new Pair(2, on(first + "," + second), on(first + "," + second))) {
            Link zero = pair.connect();
            Link one = pair.linkOfOne(0);
            Link broken = pair.zero.link(1, 1);
            pair.linkOfOne(1).close();
            long source = pair.arena.allocate(64).address();
            broken.receive().expect(0, 64, FINGERPRINT);
            long begin = System.nanoTime();
            broken.send().offer(source, 64, FINGERPRINT);
            while (broken.receive().poll() == ReceiveLane.NOTHING) {
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
                Thread.onSpinWait();
            }
            assertThat(broken.receive().failure()).contains("over " + second + ":1, GID ", "retry counter exceeded");
            move(zero, one);
        }
    }
}
