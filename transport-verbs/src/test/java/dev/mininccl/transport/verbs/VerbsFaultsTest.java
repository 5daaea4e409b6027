package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes between two Soft-RoCE devices whose wire loses, delays and reorders packets: only in the guest, which has tc. */
@Timeout(300)
class VerbsFaultsTest {

    private static final Settings SETTINGS =
            Settings.defaults().with(Setting.SLICE_SIZE, "16384").with(Setting.TIMEOUT, "3000");
    private static final long FINGERPRINT = 77;

    @BeforeEach
    void wire() {
        Wire.assume();
    }

    @AfterEach
    void repair() {
        Wire.repair();
    }

    private static double exchange(Pair pair, int slices) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Exchange zero = new Exchange(pair.connect(), slices, seed, 0);
        Exchange one = new Exchange(pair.linkOfOne(0), slices, seed, 1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(one::run, Thread.ofPlatform()::start);
        zero.run();
        other.join();
        return (System.nanoTime() - seed) / 1e9;
    }

    @ParameterizedTest
    @ValueSource(strings = {"loss 1%", "loss 5%", "delay 2ms", "delay 2ms loss 1% reorder 10%"})
    void slicesArriveWhole(String disturbance) throws Exception {
        Wire.disturb(disturbance);
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            System.out.println(disturbance + ": 2 x 200 slices in " + exchange(pair, 200) + " s");
        }
    }

    @Test
    void wireThatIsAwayForASecondIsSurvived() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            CompletableFuture<Void> accident = CompletableFuture.runAsync(
                    () -> {
                        try {
                            Thread.sleep(200);
                            Wire.lose();
                            Thread.sleep(1000);
                            Wire.repair();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    Thread.ofPlatform()::start);
            System.out.println("away for 1 s: 2 x 3000 slices in " + exchange(pair, 3000) + " s");
            accident.join();
        }
    }

    @Test
    void wireThatStaysAwayIsAFailureWithinTheRetries() throws Exception {
        try (Pair pair = new Pair(1, SETTINGS, SETTINGS)) {
            Link link = pair.connect();
            pair.linkOfOne(0);
            Wire.lose();
            long begin = System.nanoTime();
            long source = pair.arena.allocate(64).address();
            assertThat(link.send().offer(source, 64, FINGERPRINT)).isTrue();
            link.receive().expect(0, 64, FINGERPRINT);
            while (link.receive().poll() == ReceiveLane.NOTHING) {
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
                Thread.onSpinWait();
            }
            assertThat(link.receive().failure()).contains("rank 1 at GID ::ffff:10.99.0.2", "retry counter exceeded");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
        }
    }
}
