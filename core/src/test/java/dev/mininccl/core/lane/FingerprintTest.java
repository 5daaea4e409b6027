package dev.mininccl.core.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class FingerprintTest {

    @Test
    void anyDifferenceShows() {
        Set<Long> seen = new HashSet<>();
        int made = 0;
        for (int sequence = 1; sequence <= 20; sequence++) {
            for (int type = 0; type < 10; type++) {
                for (int op = 0; op < 5; op++) {
                    for (long count : new long[] {1, 2, 1024, 1L << 31, (1L << 31) + 1}) {
                        seen.add(Fingerprint.of(42, sequence, 1, type, op, 0, count));
                        seen.add(Fingerprint.of(43, sequence, 1, type, op, 0, count));
                        made += 2;
                    }
                }
            }
        }
        assertThat(seen).hasSize(made).doesNotContain(0L);
    }
}
