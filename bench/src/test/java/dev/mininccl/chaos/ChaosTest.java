package dev.mininccl.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A short stretch of {@link Chaos}, always with the same games. */
@Timeout(90)
class ChaosTest {

    private static final long SEED = 20;

    @Test
    void gamesEndAsTheyShould() throws Exception {
        System.out.println("seed " + SEED);
        try (Chaos chaos = new Chaos(false)) {
            assertThat(chaos.play(SEED, Duration.ofSeconds(6)))
                    .as(chaos.summary())
                    .isEmpty();
        }
    }
}
