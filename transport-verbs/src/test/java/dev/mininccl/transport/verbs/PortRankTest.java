package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PortRankTest {

    private static final PortRank SLOW = new PortRank(false, 25, false, OptionalInt.of(0));
    private static final PortRank FAST = new PortRank(false, 200, false, OptionalInt.of(0));
    private static final PortRank FAST_ELSEWHERE = new PortRank(false, 200, false, OptionalInt.of(1));
    private static final PortRank FAST_AND_FAR = new PortRank(false, 200, true, OptionalInt.of(1));
    private static final PortRank SOFTWARE = new PortRank(true, 400, false, OptionalInt.empty());

    private static List<PortRank> best(PortRank... ports) {
        return PortRank.best(List.of(ports), Function.identity());
    }

    @Test
    void hardwareBeforeSoftwareThenTheFastest() {
        assertThat(best(SOFTWARE, SLOW)).containsExactly(SLOW);
        assertThat(best(SLOW, FAST, SLOW)).containsExactly(FAST);
        assertThat(best()).isEmpty();
    }

    @Test
    void nearBeforeFar() {
        assertThat(best(FAST_AND_FAR, FAST)).containsExactly(FAST);
        assertThat(best(SLOW, FAST_AND_FAR)).containsExactly(FAST_AND_FAR);
    }

    @Test
    void equallyGoodOnesOnOneNodeShareTheWork() {
        assertThat(best(SLOW, FAST, SOFTWARE, FAST)).containsExactly(FAST, FAST);
        assertThat(best(FAST_ELSEWHERE, FAST, FAST_ELSEWHERE)).containsExactly(FAST_ELSEWHERE, FAST_ELSEWHERE);
        assertThat(best(SOFTWARE, SOFTWARE)).hasSize(2);
    }
}
