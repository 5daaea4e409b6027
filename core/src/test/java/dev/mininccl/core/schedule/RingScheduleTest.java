package dev.mininccl.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs all ranks of a ring by hand, with unbounded lanes, and looks at every element. */
@Timeout(20)
class RingScheduleTest {

    @ParameterizedTest
    @CsvSource({"2, 1000, 64, 1", "3, 5000, 100, 2", "5, 65, 128, 2"})
    void whatIsCompleteIsNotWrittenAgain(int ranks, int elements, int slice, int slices) {
        for (int rank = 0; rank < ranks; rank++) {
            RingSchedule schedule = new RingSchedule(rank, ranks);
            schedule.plan(elements, slice, slices);
            for (long message = 0; message < schedule.messages(); message++) {
                long complete = schedule.completed(message);
                assertThat(schedule.receiveLength(message) == 0 || schedule.receiveStart(message) >= complete)
                        .isTrue();
            }
            assertThat(schedule.completed(schedule.messages())).isEqualTo(elements);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1, 64, 2",
        "2, 1000, 64, 1",
        "3, 1, 128, 2",
        "3, 1000, 128, 2",
        "4, 4097, 256, 2",
        "5, 63, 128, 2",
        "5, 64, 128, 3",
        "5, 65, 128, 2",
        "8, 10000, 128, 2",
        "8, 10001, 192, 4",
        "3, 5000, 100, 2"
    })
    void everyElementIsReducedOverAllRanks(int ranks, int elements, int slice, int slices) {
        long[][] values = new long[ranks][elements];
        List<ArrayDeque<long[]>> lanes = new ArrayList<>();
        RingSchedule[] schedules = new RingSchedule[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            for (int i = 0; i < elements; i++) {
                values[rank][i] = bit(rank);
            }
            lanes.add(new ArrayDeque<>());
            schedules[rank] = new RingSchedule(rank, ranks);
            schedules[rank].plan(elements, slice, slices);
        }
        long messages = schedules[0].messages();
        for (long message = 0; message < messages; message++) {
            for (int rank = 0; rank < ranks; rank++) {
                int length = schedules[rank].sendLength(message);
                assertThat(length).isBetween(0, slice);
                long[] sent = new long[length];
                System.arraycopy(values[rank], (int) schedules[rank].sendStart(message), sent, 0, length);
                lanes.get((rank + 1) % ranks).add(sent);
            }
            for (int rank = 0; rank < ranks; rank++) {
                receive(schedules[rank], message, values[rank], lanes.get(rank).remove());
            }
        }
        for (long[] result : values) {
            assertThat(result).containsOnly(all(ranks));
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1000, 64, 1", "4, 4097, 256, 2", "5, 1000, 128, 3"})
    void whatIsSentOnWasReceivedBefore(int ranks, int elements, int slice, int slices) {
        RingSchedule schedule = new RingSchedule(1, ranks);
        schedule.plan(elements, slice, slices);
        for (long message = 0; message < schedule.messages(); message++) {
            if (!schedule.startsChunk(message)) {
                long before = message - schedule.slices();
                assertThat(schedule.sendStart(message)).isEqualTo(schedule.receiveStart(before));
                assertThat(schedule.sendLength(message)).isEqualTo(schedule.receiveLength(before));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 64, 2, 1", "3, 1000, 64, 2, 1234", "5, 129, 128, 3, 129", "8, 4097, 256, 4, 5000"})
    void halvesGatherAndReduceEveryPart(int ranks, int elements, int slice, int slices, int stride) {
        for (boolean gathers : new boolean[] {false, true}) {
            long[][] values = new long[ranks][ranks * stride];
            List<ArrayDeque<long[]>> lanes = new ArrayList<>();
            RingSchedule[] schedules = new RingSchedule[ranks];
            for (int rank = 0; rank < ranks; rank++) {
                // Gathered values are there once: on the rank whose they are.
                for (int i = 0; i < values[rank].length; i++) {
                    values[rank][i] = gathers && i / stride != rank ? -1 : bit(rank);
                }
                lanes.add(new ArrayDeque<>());
                schedules[rank] = new RingSchedule(rank, ranks);
                schedules[rank].planHalf(gathers, elements, stride, slice, slices);
            }
            for (long message = 0; message < schedules[0].messages(); message++) {
                for (int rank = 0; rank < ranks; rank++) {
                    int start = (int) schedules[rank].sendStart(message);
                    int length = schedules[rank].sendLength(message);
                    assertThat(length).isBetween(0, slice);
                    lanes.get((rank + 1) % ranks)
                            .add(java.util.Arrays.copyOfRange(values[rank], start, start + length));
                }
                for (int rank = 0; rank < ranks; rank++) {
                    receive(
                            schedules[rank],
                            message,
                            values[rank],
                            lanes.get(rank).remove());
                }
            }
            for (int rank = 0; rank < ranks; rank++) {
                for (int part = 0; part < ranks; part++) {
                    if (gathers || part == rank) {
                        assertThat(java.util.Arrays.copyOfRange(values[rank], part * stride, part * stride + elements))
                                .containsOnly(gathers ? bit(part) : all(ranks));
                    }
                }
            }
        }
    }

    private static void receive(RingSchedule schedule, long message, long[] values, long[] came) {
        assertThat(schedule.receiveLength(message)).isEqualTo(came.length);
        int start = (int) schedule.receiveStart(message);
        for (int i = 0; i < came.length; i++) {
            values[start + i] = schedule.reduces(message) ? values[start + i] + came[i] : came[i];
        }
    }

    /** A digit of its own for each rank: a rank that is counted twice, or never, shows. */
    private static long bit(int rank) {
        return 1L << (4 * rank);
    }

    private static long all(int ranks) {
        long sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += bit(rank);
        }
        return sum;
    }
}
