package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.local.LocalJob;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class FailuresTest {

    @Test
    void whoListensHearsOfRanksThatLeave() {
        LocalJob job = new LocalJob(3);
        Failures failures =
                new Failures(job.bootstrap(0), new AbortFlag(Arena.ofAuto()), sequence -> null, Duration.ofSeconds(1));
        job.bootstrap(0).listen(failures);
        List<Integer> heard = new ArrayList<>();
        IntConsumer early = heard::add;
        failures.listenToDepartures(early);
        job.bootstrap(1).close();
        assertThat(heard).containsExactly(1);

        List<Integer> late = new ArrayList<>();
        failures.listenToDepartures(late::add);
        assertThat(late).as("one that has left already").containsExactly(1);

        failures.forgetDepartures(early);
        job.bootstrap(2).close();
        assertThat(heard).containsExactly(1);
        assertThat(late).containsExactly(1, 2);
        assertThat(failures.reason()).as("leaving breaks nothing by itself").isNull();
    }

    @Test
    void whoCannotReachTheControlPlaneIsNotMuchLater() {
        Bootstrap silent = (Bootstrap) Proxy.newProxyInstance(
                Bootstrap.class.getClassLoader(), new Class<?>[] {Bootstrap.class}, (proxy, method, arguments) -> null);
        Failures failures =
                new Failures(silent, new AbortFlag(Arena.ofAuto()), sequence -> null, Duration.ofSeconds(1));
        AbortReason why = new AbortReason(AbortReason.Kind.TIMEOUT, 0, 7, "stood still");
        long start = System.nanoTime();
        failures.abort(why);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(50), Duration.ofMillis(400));
        assertThat(failures.reason()).isSameAs(why);
    }
}
