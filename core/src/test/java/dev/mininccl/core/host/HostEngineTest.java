package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.local.LocalJob;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.LaneTraits;
import dev.mininccl.core.tuning.Tuner;
import dev.mininccl.core.tuning.TuningFile;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HostEngineTest {

    private static final int COUNT = 1 << 20;

    /** The caller may free its buffers once it has the exception: by then no channel's thread may use them. */
    @Test
    void whatOneChannelThrowsStopsTheOthersFirst() throws InterruptedException {
        AtomicLong polls = new AtomicLong();
        Link[][] links = {{null, new ThrowingLink()}, {null, new CountingLink(polls)}};
        LocalJob job = new LocalJob(2);
        Settings settings = Settings.defaults();
        try (Arena arena = Arena.ofConfined()) {
            AbortFlag flag = new AbortFlag(arena);
            Failures failures = new Failures(job.bootstrap(0), flag, sequence -> null, Duration.ofSeconds(10));
            job.bootstrap(0).listen(failures);
            long memory = arena.allocate(COUNT * Integer.BYTES, 128).address();
            try (HostEngine engine = new HostEngine(
                    0,
                    links,
                    channel -> new BitSet(),
                    new Tuner(new LaneTraits(2, 4096, 0, true), settings, TuningFile.of(settings)),
                    new WindowTable(),
                    () -> new Waiter(flag, failures, true),
                    failures,
                    settings,
                    arena)) {
                assertThatThrownBy(() -> engine.run(
                                Collective.ALL_REDUCE, memory, memory, COUNT, DataType.INT32, ReduceOp.SUM, 1, 1))
                        .isInstanceOf(CommunicatorException.class)
                        .hasMessageContaining("out of memory, says the test");
                long before = polls.get();
                Thread.sleep(50);
                assertThat(before).as("the other channel was at work").isPositive();
                assertThat(polls.get()).as("the other channel still is").isEqualTo(before);
            }
        }
    }

    private static final class ThrowingLink extends FullLink {

        private final long until = System.nanoTime() + 300_000_000;

        ThrowingLink() {
            super(null);
        }

        @Override
        public long poll() {
            if (System.nanoTime() - until < 0) {
                return NOTHING;
            }
            throw new OutOfMemoryError("out of memory, says the test");
        }
    }

    private static final class CountingLink extends FullLink {

        private final AtomicLong polls;

        CountingLink(AtomicLong polls) {
            super(null);
            this.polls = polls;
        }

        @Override
        public long poll() {
            polls.incrementAndGet();
            return NOTHING;
        }
    }
}
