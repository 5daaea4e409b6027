package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of fallbacks; what real devices say is tried in {@link GpuDirectTest}. */
@Timeout(60)
class DirectProbeTest {

    /** What happened, in order. */
    private final List<String> events = new ArrayList<>();

    private GpuDirect.Pair run(String dmaBuf, String peermem, String... wrong) {
        List<Fake> ways = List.of(new Fake(GpuDirect.Way.DMA_BUF, dmaBuf), new Fake(GpuDirect.Way.PEERMEM, peermem));
        return DirectProbe.run("gpu 0", "mlx5_0", false, ways, way -> {
            events.add("prove " + way.way());
            if (List.of(wrong).contains(way.way().toString())) {
                throw new IllegalStateException("maps other memory");
            }
            return "proven";
        });
    }

    @Test
    void dmaBufComesFirstAndNothingElseIsTried() {
        GpuDirect.Pair pair = run("", "");
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.DMA_BUF);
        assertThat(pair.words()).isEqualTo("DMA-BUF, proven");
        assertThat(events).containsExactly("register DMA-BUF", "prove DMA-BUF", "close DMA-BUF");
    }

    @Test
    void peermemFollowsARefusal() {
        GpuDirect.Pair pair = run("EOPNOTSUPP", "");
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.PEERMEM);
        assertThat(pair.words()).isEqualTo("peermem, proven; refused: DMA-BUF: EOPNOTSUPP");
    }

    @Test
    void whatIsRegisteredButNotProvenIsClosedAndPassedOver() {
        GpuDirect.Pair pair = run("", "", "DMA-BUF");
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.PEERMEM);
        assertThat(pair.refusals()).containsExactly("DMA-BUF: maps other memory");
        assertThat(events)
                .containsExactly(
                        "register DMA-BUF",
                        "prove DMA-BUF",
                        "close DMA-BUF",
                        "register peermem",
                        "prove peermem",
                        "close peermem");
    }

    @Test
    void hostMemoryIsWhatIsLeftAndEveryReasonIsKept() {
        GpuDirect.Pair pair = run("EOPNOTSUPP", "not loaded");
        assertThat(pair.way()).isEqualTo(GpuDirect.Way.HOST_SLOTS);
        assertThat(pair.proof()).isEmpty();
        assertThat(pair.words()).isEqualTo("pinned host memory; refused: DMA-BUF: EOPNOTSUPP; peermem: not loaded");
        assertThat(run("", "", "DMA-BUF", "peermem").way()).isEqualTo(GpuDirect.Way.HOST_SLOTS);
    }

    /** A way that registers unless it has a reason not to. */
    private final class Fake implements DirectProbe.Attempt<Fake> {
        private final GpuDirect.Way way;
        private final String refusal;

        Fake(GpuDirect.Way way, String refusal) {
            this.way = way;
            this.refusal = refusal;
        }

        @Override
        public GpuDirect.Way way() {
            return way;
        }

        @Override
        public Fake register() {
            events.add("register " + way);
            if (!refusal.isEmpty()) {
                throw new IllegalStateException(refusal);
            }
            return this;
        }

        @Override
        public void deregister(Fake region) {
            events.add("close " + way);
        }
    }
}
