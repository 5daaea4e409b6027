package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DetoursTest {

    private static Detours of(int channels, long working) {
        return new Detours(channels, BitSet.valueOf(new long[] {working}));
    }

    @Test
    void movedChannelsTakeThoseThatWorkInTurn() {
        Detours detours = of(6, 0b010010);
        assertThat(detours.moved()).containsExactly(0, 2, 3, 5);
        assertThat(IntStream.range(0, 6).map(detours::via)).containsExactly(1, 1, 4, 1, 4, 4);
    }

    @Test
    void nothingMovesWhereAllWork() {
        Detours detours = of(3, 0b111);
        assertThat(detours.moved()).isEmpty();
        assertThat(IntStream.range(0, 3).map(detours::via)).containsExactly(0, 1, 2);
    }

    @Test
    void oneMayServeAll() {
        Detours detours = of(64, 1L << 63);
        assertThat(detours.moved()).hasSize(63);
        assertThat(IntStream.range(0, 64).map(detours::via)).containsOnly(63);
    }
}
