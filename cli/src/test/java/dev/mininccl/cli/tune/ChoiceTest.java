package dev.mininccl.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.tuning.TuningFile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChoiceTest {

    private static Candidate candidate(String way, Map<Long, Double> micros) {
        Candidate candidate = new Candidate(way, 8, 64);
        candidate.add(micros);
        return candidate;
    }

    private static final Candidate SHIPPED =
            candidate(TuningFile.SHIPPED, Map.of(8L, 1.0, 16L, 2.0, 32L, 4.0, 64L, 8.0));

    @Test
    void theQuickestServesEachSize() {
        Candidate a = candidate("two-shot slots", Map.of(16L, 1.0, 32L, 3.0));
        Candidate b = candidate("two-shot reference", Map.of(32L, 2.0, 64L, 4.0));
        assertThat(new Choice(SHIPPED, List.of(a, b)).rows())
                .containsExactly(
                        "8 shipped",
                        "16 two-shot slots                        # 1.00 us, shipped 2.00",
                        "64 two-shot reference                    # 4.00 us, shipped 8.00");
    }

    @Test
    void whatIsHardlyQuickerChangesNothing() {
        Candidate hardly = candidate("one-shot slots", Map.of(8L, 0.98, 16L, 1.99, 32L, 3.9, 64L, 7.7));
        assertThat(new Choice(SHIPPED, List.of(hardly)).rows()).isEmpty();
        Candidate first = candidate("one-shot slots", Map.of(8L, 0.5, 16L, 1.01));
        Candidate second = candidate("two-shot slots", Map.of(8L, 0.6, 16L, 1.0));
        assertThat(new Choice(SHIPPED, List.of(first, second)).rows())
                .containsExactly("16 one-shot slots                        # 1.01 us, shipped 2.00");
    }

    @Test
    void aFailedCandidateIsNoChoice() {
        Choice choice = new Choice(SHIPPED, List.of(candidate("ring slots", Map.of())));
        assertThat(choice.rows()).isEmpty();
        assertThat(choice.changesNothing()).isTrue();
    }

    @Test
    void candidatesKeepTheirBestRoundAndMakeTables() {
        Candidate one = candidate("ring slots", Map.of(8L, 2.0, 16L, 1.0));
        one.add(Map.of(8L, 1.0, 16L, 2.0));
        assertThat(one.micros()).isEqualTo(Map.of(8L, 1.0, 16L, 1.0));
        TuningFile file = TuningFile.parse("t", one.table(TuningFile.hostSection(4, true)));
        assertThat(file.rows("host ranks=4 network")).containsExactly(new TuningFile.Row(64, "ring slots", "t line 3"));
    }

    @Test
    void whatASecondLookDoesNotBearOutIsTakenBack() {
        Choice choice = new Choice(SHIPPED, List.of(candidate("two-shot slots", Map.of(8L, 0.5, 16L, 1.0, 32L, 2.0))));
        Map<Long, Double> again = Map.of(8L, 1.0, 16L, 1.0, 32L, 2.5, 64L, 8.0);
        Map<Long, Double> builtIn = Map.of(8L, 1.0, 16L, 2.0, 32L, 2.5, 64L, 8.0);
        choice.confirm(again, builtIn);
        assertThat(choice.rows())
                .containsExactly("8 shipped", "16 two-shot slots                        # 1.00 us, shipped 2.00");
        assertThat(choice.gain(again, builtIn)).isEqualTo(0.5);
        choice.confirm(builtIn, builtIn);
        assertThat(choice.changesNothing()).isTrue();
    }

    @Test
    void mediansAreReadByName() {
        assertThat(Trial.medians(List.of("count,bytes,x,medianUs", "2,8,0,1.5", "4,16,0,2.5")))
                .isEqualTo(Map.of(8L, 1.5, 16L, 2.5));
    }

    @Test
    void everyCandidateOfASubjectIsWithinItsSizes() {
        for (String way : List.of("nvlink", "pcie", "host")) {
            Subject subject = Subject.gpuPair(TuningFile.gpuSection(2, way), way, List.of(), 1 << 20);
            assertThat(subject.candidates())
                    .isNotEmpty()
                    .allMatch(one -> one.from() <= one.to() && one.to() <= 1 << 20);
        }
    }
}
