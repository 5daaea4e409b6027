package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KernelWarmupTest {

    private static final Settings SCALAR = Settings.defaults().with(Setting.REDUCER, "scalar");

    @Test
    void endsInTimeAndWorksOnlyOnce() {
        // A division that never gets fast enough for the early end, so that only the limits end it.
        long first = nanos(DataType.UINT64, ReduceOp.AVG, Duration.ofMillis(300));
        long second = nanos(DataType.UINT64, ReduceOp.AVG, Duration.ofSeconds(50));
        assertThat(first).isGreaterThan(Duration.ofMillis(10).toNanos());
        assertThat(Duration.ofNanos(first)).isLessThan(Duration.ofSeconds(20));
        assertThat(second).isLessThan(first);
    }

    @Test
    void allMethodsAreExercised() {
        try (Exercise exercise = new Exercise(new Kernel(DataType.FLOAT64, ReduceOp.MIN), false)) {
            for (int method = 0; method < Exercise.METHODS; method++) {
                exercise.round(method);
                assertThat(exercise.nanosPerByte(method)).isPositive().isLessThan(1e6);
            }
        }
    }

    private static long nanos(DataType type, ReduceOp op, Duration atMost) {
        long start = System.nanoTime();
        KernelWarmup.warm(type, op, SCALAR, atMost);
        return System.nanoTime() - start;
    }
}
