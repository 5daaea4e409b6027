package dev.mininccl.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class PartsTest {

    @Test
    void partsOfTheLargestRangesDoNotOverflow() {
        long elements = Long.MAX_VALUE / 8;
        long before = 0;
        for (int part = 1; part <= 1000; part++) {
            long start = Parts.start(elements, 1000, part);
            assertThat(start).isGreaterThan(before);
            before = start;
        }
        assertThat(before).isEqualTo(elements);
    }

    @Test
    void cutsFallOnGrains() {
        assertThat(Parts.start(1000, 3, 1) % Parts.GRAIN).isZero();
        assertThat(Parts.start(1000, 3, 2) % Parts.GRAIN).isZero();
        assertThat(Parts.start(1000, 3, 3)).isEqualTo(1000);
    }

    @Test
    void shortRangesLeaveTheLastPartsEmpty() {
        assertThat(Parts.start(5, 4, 1)).isEqualTo(5);
        assertThat(Parts.start(5, 4, 3)).isEqualTo(5);
    }
}
