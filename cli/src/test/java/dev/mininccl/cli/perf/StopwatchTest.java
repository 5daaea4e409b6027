package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.mininccl.core.Communicator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StopwatchTest {

    private final Communicator alone = Communicator.local(1).getFirst();
    private final Team team = new Team(alone);
    private final List<Integer> batches = new ArrayList<>();

    @AfterEach
    void close() {
        team.close();
        alone.close();
    }

    /** Claims to take 1, 2, 3, … µs an operation. */
    private long rising(int times) {
        batches.add(times);
        return 1_000L * batches.size() * times;
    }

    @Test
    void percentilesAreOverIterations() {
        Measurement measurement = new Stopwatch(100, false, team).measure(this::rising, 1_000_000, 0);
        assertThat(batches).hasSize(100).containsOnly(1);
        assertThat(measurement.minUs()).isCloseTo(1, within(0.01));
        assertThat(measurement.medianUs()).isCloseTo(50, within(0.1));
        assertThat(measurement.p99Us()).isCloseTo(99, within(0.1));
        assertThat(measurement.wrong()).isZero();
    }

    @Test
    void shortOperationsAreBatched() {
        Measurement measurement = new Stopwatch(3, false, team).measure(this::rising, 1_000, 0);
        assertThat(batches).containsExactly(200, 200, 200);
        assertThat(measurement.medianUs()).isCloseTo(2, within(0.01));
    }

    @Test
    void batchesThatTakeTooLongAreShortened() {
        new Stopwatch(4, false, team).measure(times -> rising(times) * 100, 1_000, 0);
        assertThat(batches).containsExactly(200, 2, 2, 2);
    }

    @Test
    void batchesAreBounded() {
        new Stopwatch(1, false, team).measure(this::rising, 0.001, 0);
        assertThat(batches).containsExactly(1_000);
    }

    @Test
    void blockingAndUnknownOperationsAreTimedAlone() {
        new Stopwatch(2, true, team).measure(this::rising, 1_000, 0);
        new Stopwatch(2, false, team).measure(this::rising, 0, 0);
        assertThat(batches).containsExactly(1, 1, 1, 1);
    }

    @Test
    void warmUpTellsTheTime() {
        assertThat(new WarmUp(0, team).settle(this::rising)).isZero();
        assertThat(batches).isEmpty();
        assertThat(new WarmUp(5, team).settle(times -> 2_000L * times)).isEqualTo(2_000);
    }

    @Test
    void warmUpOfLongOperationsIsShort() {
        new WarmUp(3, team).settle(times -> {
            batches.add(times);
            return 1_000_000_000L * times;
        });
        assertThat(batches).containsExactly(3);
    }
}
