package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.TransportProvider;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class SocketTransportTest {

    private static final int CYCLES = 300;
    private static final int STAGES = 5;
    private static final int MEASURED = 2000;
    private static final int ROUNDS = 100;

    @Test
    void bothAreFound() {
        assertThat(ServiceLoader.load(TransportProvider.class))
                .extracting(TransportProvider::name, TransportProvider::preference)
                .contains(tuple("tcp", 40), tuple("unix", 35));
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLeftAfterManyCycles(Medium medium) throws Exception {
        for (int i = 0; i < STAGES; i++) {
            cycle(medium, i);
        }
        long files = openFiles();
        int threads = Thread.activeCount();
        for (int i = 0; i < CYCLES; i++) {
            cycle(medium, i);
        }
        assertThat(openFiles()).isLessThanOrEqualTo(files);
        // The last cycle's own threads may still be on their way out.
        for (int i = 0; i < 100 && Thread.activeCount() > threads; i++) {
            Thread.sleep(20);
        }
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
    }

    /** Closes at one of five stages, twice. */
    private static void cycle(Medium medium, int number) {
        Ranks ranks = Ranks.two(medium, 2, 4096);
        int stage = number % STAGES;
        if (stage == 1) {
            ranks.abort.raiseRelease();
            ranks.attach(Duration.ofSeconds(5));
        } else if (stage > 1) {
            ranks.attachAll();
        }
        if (stage > 2) {
            Link[] ends = {ranks.link(0, 1, 0), ranks.link(1, 0, 0)};
            ranks.transports.forEach(SocketTransport::settled);
            if (stage == 4) {
                SocketLanesTest.exchange(ends, 5, number);
                ends[0].close();
                ends[1].close();
            }
        }
        ranks.close();
        ranks.close();
    }

    private static long openFiles() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    @ParameterizedTest
    @EnumSource
    void slicesAllocateNothing(Medium medium) {
        Settings settings = Settings.defaults().with(Setting.SLICE_SIZE, "4096");
        try (Ranks ranks = new Ranks(medium, settings, "a", "a");
                Arena arena = Arena.ofConfined()) {
            ranks.attachAll();
            Link first = ranks.link(0, 1, 0);
            Link second = ranks.link(1, 0, 0);
            long memory = arena.allocate(1 << 16, 128).address();
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long allocated = Long.MAX_VALUE;
            // Compilation is in the background: the first rounds run interpreted, where native calls do allocate.
            for (int round = 0; round < ROUNDS && allocated > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < MEASURED; i++) {
                    pass(first, second, memory, 8 + i % 3 * 4000, i % 2 == 0 ? 0 : memory + 16384);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(allocated).as("bytes for %d slices", MEASURED).isZero();
        }
    }

    private static void pass(Link from, Link to, long source, int bytes, long destination) {
        if (!from.send().offer(source, bytes, 7)) {
            throw new AssertionError("no free slot");
        }
        to.receive().expect(destination, bytes, 7);
        long at = ReceiveLane.NOTHING;
        while (at == ReceiveLane.NOTHING) {
            from.send().progress();
            at = to.receive().poll();
        }
        if (at < 0) {
            throw new AssertionError(to.receive().failure());
        }
        to.receive().release();
    }
}
