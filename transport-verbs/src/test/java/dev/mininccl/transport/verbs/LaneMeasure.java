package dev.mininccl.transport.verbs;

import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Measures a lane as perftest does a queue pair: half a round trip of small slices, and a stream of large ones, copied to the
 * lane's slots or sent from where they lie.
 */
final class LaneMeasure {

    private static final long FINGERPRINT = 77;
    private static final int SMALL = 64;
    private static final int LARGE = 128 * 1024;
    private static final int ROUND_TRIPS = 1000;
    private static final int SLICES = 1000;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Pair pair;
    private final Link zero;
    private final Link one;
    private final MemorySegment source;

    private LaneMeasure(Pair pair) {
        this.pair = pair;
        zero = pair.connect();
        one = pair.linkOfOne(0);
        source = pair.arena.allocate(LARGE, 4096).fill((byte) 1);
    }

    public static void main(String[] arguments) throws Exception {
        try (Pair pair = new Pair(1, Settings.fromEnvironment(), Settings.fromEnvironment())) {
            LaneMeasure measure = new LaneMeasure(pair);
            measure.warmUp();
            for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
                measure.latency(true);
                measure.stream(false, false);
                measure.stream(false, true);
                measure.stream(true, false);
                measure.stream(true, true);
            }
        }
    }

    /** Until the code is compiled, for all ways that are timed: under emulation that takes seconds. */
    private void warmUp() {
        long end = System.nanoTime() + WARM_UP_NANOS;
        for (int turn = 0; System.nanoTime() < end; turn++) {
            latency(false);
            announce(turn % 2 == 0);
            move(2, turn % 4 < 2);
        }
    }

    private void announce(boolean inPlace) {
        MemorySegment announced = inPlace ? source : null;
        pair.zero.announce(announced, null, LARGE);
        pair.one.announce(announced, null, LARGE);
    }

    private void latency(boolean told) {
        CompletableFuture<Void> other = start(() -> {
            for (int turn = 0; turn < ROUND_TRIPS; turn++) {
                take(one);
                put(one);
            }
        });
        double[] micros = new double[ROUND_TRIPS];
        double[] posting = new double[ROUND_TRIPS];
        for (int turn = 0; turn < ROUND_TRIPS; turn++) {
            long begin = System.nanoTime();
            put(zero);
            posting[turn] = (System.nanoTime() - begin) / 1e3;
            take(zero);
            micros[turn] = (System.nanoTime() - begin) / 2e3;
        }
        other.join();
        if (told) {
            Arrays.sort(micros);
            Arrays.sort(posting);
            System.out.printf(
                    Locale.ROOT,
                    "lane, %d B: half a round trip %.1f us typical, %.1f least; posting %.1f typical%n",
                    SMALL,
                    micros[ROUND_TRIPS / 2],
                    micros[0],
                    posting[ROUND_TRIPS / 2]);
        }
    }

    private void stream(boolean bothWays, boolean inPlace) {
        announce(inPlace);
        double seconds = move(SLICES, bothWays);
        System.out.printf(
                Locale.ROOT,
                "lane, %d B: stream %s, %s, %.1f MiB/s%n",
                LARGE,
                bothWays ? "both ways, sum" : "one way",
                inPlace ? "in place" : "copied",
                (bothWays ? 2.0 : 1.0) * SLICES * LARGE / seconds / (1 << 20));
    }

    private double move(int slices, boolean bothWays) {
        long begin = System.nanoTime();
        CompletableFuture<Void> other = start(() -> move(one, bothWays ? slices : 0, slices));
        move(zero, slices, bothWays ? slices : 0);
        other.join();
        return (System.nanoTime() - begin) / 1e9;
    }

    private static CompletableFuture<Void> start(Runnable task) {
        return CompletableFuture.runAsync(task, Thread.ofPlatform()::start);
    }

    /** One of each in turn: who sends as long as there is room keeps the peer waiting for its own. */
    private void move(Link link, int sends, int receives) {
        int sent = 0;
        int received = 0;
        link.receive().expect(0, LARGE, FINGERPRINT);
        while (sent < sends
                || received < receives
                || link.send().released() < link.send().offered()) {
            boolean moved = sent < sends && link.send().offer(source.address(), LARGE, FINGERPRINT);
            sent += moved ? 1 : 0;
            if (received < receives && link.receive().poll() > 0) {
                received++;
                link.receive().release();
                link.receive().expect(0, LARGE, FINGERPRINT);
            } else if (!moved) {
                link.send().progress();
                Thread.onSpinWait();
            }
        }
    }

    private void put(Link link) {
        while (!link.send().offer(source.address(), SMALL, FINGERPRINT)) {
            Thread.onSpinWait();
        }
    }

    private static void take(Link link) {
        link.receive().expect(0, SMALL, FINGERPRINT);
        long address = link.receive().poll();
        while (address == ReceiveLane.NOTHING) {
            Thread.onSpinWait();
            address = link.receive().poll();
        }
        link.receive().release();
    }
}
