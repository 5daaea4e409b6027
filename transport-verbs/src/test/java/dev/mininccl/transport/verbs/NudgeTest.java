package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NudgeTest {

    private long now = 5;
    private final Nudge nudge = new Nudge(() -> now);

    @Test
    void comesOnlyWhileSomethingIsUnacknowledgedAndQuiet() {
        assertThat(nudge.due(3, 3)).isFalse();
        assertThat(nudge.due(4, 3)).isFalse();
        now += Nudge.FIRST_NANOS - 1;
        assertThat(nudge.due(4, 3)).isFalse();
        assertThat(nudge.due(5, 3)).as("something new was posted").isFalse();
        now += Nudge.FIRST_NANOS;
        assertThat(nudge.due(5, 5)).isFalse();
        assertThat(nudge.due(5, 3)).isTrue();
    }

    @Test
    void growsRarerUpToABound() {
        assertThat(nudge.due(1, 0)).isFalse();
        long pause = Nudge.FIRST_NANOS;
        for (int sent = 1; sent < 10; sent++) {
            now += pause - 1;
            assertThat(nudge.due(sent, 0)).isFalse();
            now++;
            assertThat(nudge.due(sent, 0)).isTrue();
            nudge.sent(sent + 1);
            pause = Math.min(2 * pause, Nudge.MOST_NANOS);
        }
        assertThat(nudge.due(11, 0)).as("anew").isFalse();
        now += Nudge.FIRST_NANOS;
        assertThat(nudge.due(11, 0)).isTrue();
    }
}
