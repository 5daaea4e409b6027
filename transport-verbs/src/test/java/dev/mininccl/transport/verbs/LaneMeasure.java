package dev.mininccl.transport.verbs;

import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Measures a lane as perftest does a queue pair: half a round trip of small slices, and a stream of large ones. */
final class LaneMeasure {

    private static final long FINGERPRINT = 77;
    private static final int SMALL = 64;
    private static final int LARGE = 128 * 1024;
    private static final int ROUND_TRIPS = 1000;
    private static final int SLICES = 1500;

    private final Link zero;
    private final Link one;
    private final long source;

    private LaneMeasure(Pair pair) {
        zero = pair.connect();
        one = pair.linkOfOne(0);
        source = pair.arena.allocate(LARGE, 128).address();
    }

    public static void main(String[] arguments) throws Exception {
        try (Pair pair = new Pair(1, Settings.fromEnvironment(), Settings.fromEnvironment())) {
            LaneMeasure measure = new LaneMeasure(pair);
            for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
                measure.latency();
                measure.stream(false);
                measure.stream(true);
            }
        }
    }

    private void latency() {
        CompletableFuture<Void> other = start(() -> {
            for (int turn = 0; turn < ROUND_TRIPS; turn++) {
                take(one, SMALL);
                put(one, SMALL);
            }
        });
        double[] micros = new double[ROUND_TRIPS];
        for (int turn = 0; turn < ROUND_TRIPS; turn++) {
            long begin = System.nanoTime();
            put(zero, SMALL);
            take(zero, SMALL);
            micros[turn] = (System.nanoTime() - begin) / 2e3;
        }
        other.join();
        Arrays.sort(micros);
        System.out.printf(
                Locale.ROOT,
                "lane, %d B: half a round trip %.1f us typical, %.1f least%n",
                SMALL,
                micros[ROUND_TRIPS / 2],
                micros[0]);
    }

    private void stream(boolean bothWays) {
        long begin = System.nanoTime();
        CompletableFuture<Void> other = start(() -> move(one, bothWays ? SLICES : 0, SLICES));
        move(zero, SLICES, bothWays ? SLICES : 0);
        other.join();
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "lane, %d B: stream %s %.1f MB/s%n",
                LARGE,
                bothWays ? "both ways, sum" : "one way",
                (bothWays ? 2.0 : 1.0) * SLICES * LARGE / seconds / 1e6);
    }

    private static CompletableFuture<Void> start(Runnable task) {
        return CompletableFuture.runAsync(task, Thread.ofPlatform()::start);
    }

    private void move(Link link, int sends, int receives) {
        int sent = 0;
        int received = 0;
        link.receive().expect(0, LARGE, FINGERPRINT);
        while (sent < sends || received < receives) {
            if (sent < sends && link.send().offer(source, LARGE, FINGERPRINT)) {
                sent++;
                continue;
            }
            long address = received < receives ? link.receive().poll() : ReceiveLane.NOTHING;
            if (address > 0) {
                received++;
                link.receive().release();
                link.receive().expect(0, LARGE, FINGERPRINT);
            } else {
                link.send().progress();
                Thread.onSpinWait();
            }
        }
    }

    private void put(Link link, int bytes) {
        while (!link.send().offer(source, bytes, FINGERPRINT)) {
            Thread.onSpinWait();
        }
    }

    private static void take(Link link, int bytes) {
        link.receive().expect(0, bytes, FINGERPRINT);
        while (link.receive().poll() <= 0) {
            Thread.onSpinWait();
        }
        link.receive().release();
    }
}
