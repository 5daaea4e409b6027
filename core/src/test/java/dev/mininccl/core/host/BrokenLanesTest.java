package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.tuning.Plan;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lane that fails is noticed by a rank that only waits to hand something over, long before any deadline. */
@Timeout(20)
final class BrokenLanesTest {

    private static final int RANKS = 3;
    private static final int BROKEN_PEER = 2;
    private static final int COUNT = 1000;

    @ParameterizedTest
    @EnumSource(Plan.Algorithm.class)
    void endsTheOperation(Plan.Algorithm algorithm) {
        for (Collective collective : Collective.values()) {
            endsTheOperation(collective, algorithm);
        }
    }

    private static void endsTheOperation(Collective collective, Plan.Algorithm algorithm) {
        try (Arena arena = Arena.ofConfined()) {
            Link[] links = {null, new FullLink(null), new FullLink("the cable is out")};
            Waiter waiter = new Waiter(new AbortFlag(arena), (since, now) -> false, false);
            Channel channel = new Channel(0, links, new WindowTable(), waiter, Settings.defaults(), arena);
            long memory = arena.allocate(2L * RANKS * COUNT * Float.BYTES, 128).address();
            Plan plan = new Plan(algorithm, 4096, false, false);

            int ended = channel.run(
                    collective,
                    memory,
                    memory + RANKS * COUNT * Float.BYTES,
                    COUNT,
                    COUNT,
                    DataType.FLOAT32,
                    ReduceOp.SUM,
                    1,
                    plan,
                    null);

            assertThat(ended).isEqualTo(Algorithm.BROKEN);
            assertThat(channel.culprit()).isEqualTo(BROKEN_PEER);
            assertThat(channel.failure(BROKEN_PEER)).isEqualTo("the cable is out");
            assertThat(links).hasSize(RANKS);
        }
    }
}
