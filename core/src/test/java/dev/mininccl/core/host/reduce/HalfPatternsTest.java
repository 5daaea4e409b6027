package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All 65,536 patterns of the 16-bit floats, and where they round. */
@Timeout(60)
class HalfPatternsTest {

    private static final int PATTERNS = 1 << Short.SIZE;

    @ParameterizedTest
    @CsvSource({"FLOAT16,false", "FLOAT16,true", "BFLOAT16,false", "BFLOAT16,true"})
    void everyPatternSurvives(DataType type, boolean vectors) {
        Reducer reducer = Reducers.of(new Kernel(type, ReduceOp.MAX), 2, vectors);
        try (Arena arena = Arena.ofConfined()) {
            long in = arena.allocate(2L * PATTERNS, 64).address();
            long out = arena.allocate(2L * PATTERNS, 64).address();
            for (int bits = 0; bits < PATTERNS; bits++) {
                Elements.put(type, in + 2L * bits, bits);
            }
            reducer.reduceAll(new long[] {in}, 1, out, PATTERNS);
            for (int bits = 0; bits < PATTERNS; bits++) {
                assertSame(type, bits, Elements.get(type, out + 2L * bits));
            }
            reducer.reduce(in, in, out, PATTERNS);
            for (int bits = 0; bits < PATTERNS; bits++) {
                assertSame(type, bits, Elements.get(type, out + 2L * bits));
            }
        }
    }

    @Test
    void bfloat16RoundsToNearestEven() {
        NaiveHalf naive = NaiveHalf.of(DataType.BFLOAT16);
        for (int bits = 0; bits < PATTERNS; bits++) {
            // The value itself, its neighbours, and the middle to the next value with its neighbours.
            for (int lower : new int[] {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff}) {
                float value = Float.intBitsToFloat(bits << Short.SIZE | lower);
                if (!Float.isNaN(value)) {
                    assertThat(Bfloat16.ofFloat(value) & 0xffff)
                            .as("rounding %a", value)
                            .isEqualTo(naive.nearest(value));
                }
            }
        }
    }

    private static void assertSame(DataType type, long expected, long actual) {
        if (!NaiveArithmetic.same(type, expected, actual)) {
            assertThat(Long.toHexString(actual)).isEqualTo(Long.toHexString(expected));
        }
    }
}
