package dev.mininccl.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class VerificationTest {

    /** More than a chunk, and not a multiple of one. */
    private static final long COUNT = Pattern.CHUNK + 77;

    private final Communicator alone = Communicator.local(1).getFirst();

    @AfterEach
    void close() {
        alone.close();
    }

    private long wrong(boolean inPlace, long count, DataType type, ReduceOp op, FakeWorkbench.Fault fault) {
        return wrong(Collective.ALL_REDUCE, inPlace, count, type, op, fault);
    }

    private long wrong(
            Collective collective, boolean inPlace, long count, DataType type, ReduceOp op, FakeWorkbench.Fault fault) {
        Plan plan = new Plan(
                collective,
                new long[] {count * type.bytes()},
                List.of(type),
                List.of(op),
                1,
                0,
                1,
                false,
                true,
                true,
                false,
                42,
                -1);
        try (FakeWorkbench bench = new FakeWorkbench(count * type.bytes(), fault);
                Team team = new Team(alone);
                Verification verification = new Verification(plan, bench, team)) {
            return verification.wrong(bench.prepare(inPlace, count, type, op), inPlace, count, type, op, 0);
        }
    }

    private long wrongFloats(FakeWorkbench.Fault fault) {
        return wrong(false, COUNT, DataType.FLOAT32, ReduceOp.SUM, fault);
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void rightResultsPass(DataType type) {
        for (ReduceOp op : ReduceOp.values()) {
            for (long count : new long[] {0, 1, Pattern.CHUNK, COUNT}) {
                assertThat(wrong(false, count, type, op, (in, out) -> {})).isZero();
                assertThat(wrong(true, count, type, op, (in, out) -> {})).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void oneWrongElementIsFound(DataType type) {
        long last = (COUNT - 1) * type.bytes();
        FakeWorkbench.Fault fault = (in, out) -> out.set(JAVA_BYTE, last, (byte) (out.get(JAVA_BYTE, last) ^ 0x55));
        assertThat(wrong(false, COUNT, type, ReduceOp.SUM, fault)).isEqualTo(1);
        assertThat(wrong(true, COUNT, type, ReduceOp.SUM, fault)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Collective.class)
    void everyCollectiveIsChecked(Collective collective) {
        FakeWorkbench.Fault fault = (in, out) -> out.set(JAVA_BYTE, 6, (byte) (out.get(JAVA_BYTE, 6) ^ 0x55));
        for (boolean inPlace : new boolean[] {false, true}) {
            assertThat(wrong(collective, inPlace, COUNT, DataType.INT32, ReduceOp.SUM, (in, out) -> {}))
                    .isZero();
            assertThat(wrong(collective, inPlace, COUNT, DataType.INT32, ReduceOp.SUM, fault))
                    .isEqualTo(1);
        }
    }

    @Test
    void nanIsFound() {
        assertThat(wrongFloats((in, out) -> out.setAtIndex(JAVA_FLOAT, 5, Float.NaN)))
                .isEqualTo(1);
    }

    @Test
    void elementsNeverWrittenAreFound() {
        assertThat(wrongFloats((in, out) -> out.asSlice(0, 40).fill((byte) -1))).isEqualTo(10);
    }

    @Test
    void writingPastTheEndIsFound() {
        assertThat(wrongFloats((in, out) -> out.set(JAVA_BYTE, COUNT * 4 + 3, (byte) 1)))
                .isEqualTo(1);
    }

    @Test
    void changedInputIsFound() {
        assertThat(wrongFloats((in, out) -> in.setAtIndex(JAVA_FLOAT, 3, 0.5f))).isEqualTo(1);
    }
}
