package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All 65,536 patterns of the 16-bit floats, all pairs of the 8-bit ones, and where they round. */
@Timeout(60)
class SmallFloatsTest {

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
        NaiveSmallFloat naive = NaiveSmallFloat.of(DataType.BFLOAT16);
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

    static List<Arguments> pairs() {
        return Stream.of(DataType.FLOAT8E4M3, DataType.FLOAT8E5M2)
                .flatMap(type -> Stream.of(ReduceOp.values())
                        .flatMap(op -> Stream.of(false, true).map(vectors -> Arguments.of(type, op, vectors))))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void everyPairOfEightBitFloats(DataType type, ReduceOp op, boolean vectors) {
        int ranks = 2;
        Reducer reducer = Reducers.of(new Kernel(type, op), ranks, vectors);
        try (Arena arena = Arena.ofConfined()) {
            long a = arena.allocate(PATTERNS, 64).address();
            long b = arena.allocate(PATTERNS, 64).address();
            long out = arena.allocate(PATTERNS, 64).address();
            for (int pair = 0; pair < PATTERNS; pair++) {
                Elements.put(type, a + pair, pair >>> Byte.SIZE);
                Elements.put(type, b + pair, pair & 0xff);
            }
            reducer.reduceLast(a, b, out, PATTERNS);
            for (int pair = 0; pair < PATTERNS; pair++) {
                long expected = NaiveArithmetic.reduced(type, op, new long[] {pair >>> Byte.SIZE, pair & 0xff}, ranks);
                assertSame(type, expected, Elements.get(type, out + pair));
            }
            for (int pair = 0; pair < PATTERNS; pair += 257) {
                reducer.reduce(a + pair, b + pair, out, 1);
                ReduceOp first = op == ReduceOp.AVG ? ReduceOp.SUM : op;
                long expected =
                        NaiveArithmetic.reduced(type, first, new long[] {pair >>> Byte.SIZE, pair & 0xff}, ranks);
                assertSame(type, expected, Elements.get(type, out));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT8E4M3", "FLOAT8E5M2"})
    void eightBitFloatsRoundToNearestEvenAndSaturate(DataType type) {
        NaiveSmallFloat naive = NaiveSmallFloat.of(type);
        for (int bits = 0; bits < 1 << Byte.SIZE; bits++) {
            float value = naive.value(bits);
            assertThat((Float) Float8.toFloat(type, (byte) bits)).isEqualTo(Float.valueOf(value));
            float next = naive.value((bits + 1) & 0xff);
            float middle = (float) (((double) value + next) / 2);
            for (float near : new float[] {
                value, Math.nextUp(value), Math.nextDown(value), middle, Math.nextUp(middle), Math.nextDown(middle)
            }) {
                int rounded = Float8.ofFloat(type, near) & 0xff;
                assertThat(Float.isNaN(near) ? rounded & 0x7f : rounded)
                        .as("rounding %a", near)
                        .isEqualTo(naive.nearest(near));
            }
        }
        float largest = type == DataType.FLOAT8E4M3 ? 448 : 57_344;
        for (float beyond : new float[] {largest, 1e6f, Float.MAX_VALUE, Float.POSITIVE_INFINITY}) {
            assertThat(Float8.toFloat(type, Float8.ofFloat(type, beyond))).isEqualTo(largest);
            assertThat(Float8.toFloat(type, Float8.ofFloat(type, -beyond))).isEqualTo(-largest);
        }
        assertThat(Float8.toFloat(type, Float8.ofFloat(type, Float.NaN))).isNaN();
        assertThatThrownBy(() -> Float8.ofFloat(DataType.FLOAT16, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("FLOAT16: must be FLOAT8E4M3 or FLOAT8E5M2");
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT8E4M3", "FLOAT8E5M2"})
    void anyFloatRoundsToTheNearestEightBits(DataType type) {
        NaiveSmallFloat naive = NaiveSmallFloat.of(type);
        long seed = System.nanoTime();
        System.out.println("SmallFloatsTest " + type + " seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 300_000; i++) {
            // Any bits at all, or the type's own range of exponents.
            int bits = (i & 1) == 0 ? random.nextInt() : 0x37000000 + (random.nextInt() & 0x8fffffff);
            float value = Float.intBitsToFloat(bits);
            int rounded = Float8.ofFloat(type, value) & 0xff;
            int expected = naive.nearest(value);
            if ((Float.isNaN(value) ? rounded & 0x7f : rounded) != expected) {
                assertThat(rounded).as("rounding %a", value).isEqualTo(expected);
            }
        }
    }

    private static void assertSame(DataType type, long expected, long actual) {
        if (!NaiveArithmetic.same(type, expected, actual)) {
            assertThat(Long.toHexString(actual)).isEqualTo(Long.toHexString(expected));
        }
    }
}
