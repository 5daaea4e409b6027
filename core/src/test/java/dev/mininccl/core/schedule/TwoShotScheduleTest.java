package dev.mininccl.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(20)
class TwoShotScheduleTest {

    @ParameterizedTest
    @CsvSource({
        "2, 1, 64",
        "2, 127, 64",
        "2, 128, 64",
        "2, 129, 64",
        "3, 100000, 1000",
        "5, 65, 128",
        "8, 123457, 4096",
        "3, 5000, 100"
    })
    void partsCoverTheRangeOnceAndFitASlice(int ranks, int elements, int slice) {
        TwoShotSchedule schedule = new TwoShotSchedule(ranks);
        schedule.plan(elements, slice);
        BitSet covered = new BitSet();
        int sum = 0;
        for (long loop = 0; loop < schedule.loops(); loop++) {
            for (int rank = 0; rank < ranks; rank++) {
                int length = schedule.length(loop, rank);
                assertThat(length).isBetween(0, slice);
                covered.set((int) schedule.start(loop, rank), (int) schedule.start(loop, rank) + length);
                sum += length;
            }
        }
        assertThat(sum).isEqualTo(elements);
        assertThat(covered.cardinality()).isEqualTo(elements);
        assertThat(covered.length()).isEqualTo(elements);
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 64", "2, 129, 64", "3, 100000, 1000", "8, 123457, 4096"})
    void eachLoopScattersThenGathersOnce(int ranks, int elements, int slice) {
        TwoShotSchedule schedule = new TwoShotSchedule(ranks);
        schedule.plan(elements, slice);
        BitSet scattered = new BitSet();
        BitSet gathered = new BitSet();
        for (long message = 0; message < schedule.messages(); message++) {
            int loop = (int) schedule.loop(message);
            assertThat(schedule.gathered(message)).isEqualTo(gathered.cardinality());
            if (schedule.gathers(message)) {
                assertThat(scattered.get(loop)).isTrue();
                assertThat(gathered.get(loop)).isFalse();
                gathered.set(loop);
            } else {
                assertThat(scattered.get(loop)).isFalse();
                scattered.set(loop);
            }
        }
        assertThat(gathered.cardinality()).isEqualTo((int) schedule.loops());
        assertThat(schedule.gathered(schedule.messages())).isEqualTo(schedule.loops());
        assertThat(schedule.end(schedule.loops())).isEqualTo(elements);
        assertThat(scattered.cardinality()).isEqualTo((int) schedule.loops());
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 64, 1", "3, 127, 64, 200", "3, 100000, 1000, 100000", "8, 4097, 4096, 5000"})
    void aHalfCoversEveryPartOnce(int ranks, int elements, int slice, int stride) {
        for (boolean gathers : new boolean[] {false, true}) {
            TwoShotSchedule schedule = new TwoShotSchedule(ranks);
            schedule.planHalf(gathers, elements, stride, slice);
            assertThat(schedule.messages()).isEqualTo(schedule.loops());
            for (int rank = 0; rank < ranks; rank++) {
                BitSet covered = new BitSet();
                int sum = 0;
                for (long message = 0; message < schedule.messages(); message++) {
                    assertThat(schedule.gathers(message)).isEqualTo(gathers);
                    long loop = schedule.loop(message);
                    int length = schedule.length(loop, rank);
                    assertThat(length).isBetween(1, slice);
                    int start = (int) schedule.start(loop, rank) - rank * stride;
                    covered.set(start, start + length);
                    sum += length;
                }
                assertThat(sum).isEqualTo(elements);
                assertThat(covered.cardinality()).isEqualTo(elements);
                assertThat(covered.length()).isEqualTo(elements);
            }
        }
    }
}
