package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The fast pattern against numbers of any size. */
@Timeout(60)
class PatternTest {

    private static final int COUNT = 500;
    private static final long KEY = 0x1234_5678_9ABCL;
    private static final long CHUNK = 3;

    static Stream<Arguments> cases() {
        return Stream.of(DataType.values())
                .flatMap(type -> Stream.of(ReduceOp.values())
                        .flatMap(op -> Stream.of(1, 2, 3, 8, 33).map(ranks -> Arguments.of(type, op, ranks))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void resultIsExact(DataType type, ReduceOp op, int ranks) {
        Pattern pattern = Pattern.of(type, op, ranks);
        MemorySegment result = elements(type);
        pattern.result(KEY, CHUNK, COUNT, result);
        MemorySegment[] inputs = new MemorySegment[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            inputs[rank] = elements(type);
            pattern.input(KEY, rank, CHUNK, COUNT, inputs[rank]);
        }
        for (int i = 0; i < COUNT; i++) {
            BigDecimal expected = decoded(inputs[0], i, type);
            for (int rank = 1; rank < ranks; rank++) {
                BigDecimal next = decoded(inputs[rank], i, type);
                expected = switch (op) {
                    case SUM, AVG -> expected.add(next);
                    case PROD -> expected.multiply(next);
                    case MAX -> expected.max(next);
                    case MIN -> expected.min(next);
                };
            }
            if (op == ReduceOp.AVG) {
                expected = type.isFloating()
                        ? expected.divide(BigDecimal.valueOf(ranks), new MathContext(60))
                        : expected.divideToIntegralValue(BigDecimal.valueOf(ranks));
            }
            assertThat(decoded(result, i, type))
                    .as("element %s", i)
                    .isEqualByComparingTo(type.isFloating() ? rounded(expected, type) : wrapped(expected, type));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void sumsOfFloatsAreExactAndAveragesOfIntegersDoNotWrap(DataType type, ReduceOp op, int ranks) {
        MemorySegment input = elements(type);
        Pattern.of(type, op, ranks).input(KEY, 0, CHUNK, COUNT, input);
        Set<BigDecimal> values = new HashSet<>();
        for (int i = 0; i < COUNT; i++) {
            BigDecimal value = decoded(input, i, type);
            values.add(value);
            BigDecimal sum = value.multiply(BigDecimal.valueOf(Pattern.adding(type, op, ranks)));
            if (type.isFloating() && op != ReduceOp.PROD && op != ReduceOp.MAX && op != ReduceOp.MIN) {
                assertThat(rounded(sum, type)).isEqualByComparingTo(sum);
            } else if (!type.isFloating() && op == ReduceOp.AVG) {
                assertThat(wrapped(sum, type)).isEqualByComparingTo(sum);
            }
        }
        assertThat(values).as("different values").hasSizeGreaterThan(1);
    }

    @Test
    void ranksChunksAndKeysHaveDataOfTheirOwn() {
        Set<Integer> firsts = new HashSet<>();
        Pattern pattern = Pattern.of(DataType.INT32, ReduceOp.SUM, 2);
        MemorySegment target = elements(DataType.INT32);
        for (int i = 0; i < 100; i++) {
            pattern.input(i / 25, i % 5, i / 5 % 5, 1, target);
            firsts.add(target.get(ValueLayout.JAVA_INT, 0));
        }
        assertThat(firsts).hasSize(100);
    }

    private static MemorySegment elements(DataType type) {
        return Arena.ofAuto().allocate((long) COUNT * type.bytes(), 8);
    }

    private static BigDecimal decoded(MemorySegment segment, int i, DataType type) {
        return switch (type) {
            case INT8 -> BigDecimal.valueOf(segment.getAtIndex(ValueLayout.JAVA_BYTE, i));
            case UINT8 -> BigDecimal.valueOf(segment.getAtIndex(ValueLayout.JAVA_BYTE, i) & 0xFF);
            case INT32 -> BigDecimal.valueOf(segment.getAtIndex(ValueLayout.JAVA_INT, i));
            case UINT32 -> BigDecimal.valueOf(segment.getAtIndex(ValueLayout.JAVA_INT, i) & 0xFFFF_FFFFL);
            case INT64 -> BigDecimal.valueOf(segment.getAtIndex(ValueLayout.JAVA_LONG, i));
            case UINT64 -> new BigDecimal(Long.toUnsignedString(segment.getAtIndex(ValueLayout.JAVA_LONG, i)));
            case FLOAT16 -> new BigDecimal(Float.float16ToFloat(segment.getAtIndex(ValueLayout.JAVA_SHORT, i)));
            case BFLOAT16 -> new BigDecimal(Float.intBitsToFloat(segment.getAtIndex(ValueLayout.JAVA_SHORT, i) << 16));
            case FLOAT32 -> new BigDecimal(segment.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            case FLOAT64 -> new BigDecimal(segment.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
            case FLOAT8E4M3, FLOAT8E5M2 ->
                new BigDecimal(Float8.toFloat(type, segment.getAtIndex(ValueLayout.JAVA_BYTE, i)));
        };
    }

    private static BigDecimal wrapped(BigDecimal value, DataType type) {
        BigInteger modulus = BigInteger.ONE.shiftLeft(8 * type.bytes());
        BigInteger unsigned = value.toBigIntegerExact().mod(modulus);
        boolean signed = type == DataType.INT8 || type == DataType.INT32 || type == DataType.INT64;
        boolean negative = signed && unsigned.testBit(8 * type.bytes() - 1);
        return new BigDecimal(negative ? unsigned.subtract(modulus) : unsigned);
    }

    /** Rounds to the precision of a type, to nearest even; all values here are well within its range. */
    private static BigDecimal rounded(BigDecimal value, DataType type) {
        int precision = switch (type) {
            case FLOAT16 -> 11;
            case BFLOAT16 -> 8;
            case FLOAT32 -> 24;
            case FLOAT8E4M3 -> 4;
            case FLOAT8E5M2 -> 3;
            default -> 53;
        };
        if (value.signum() == 0) {
            return value;
        }
        int shift = Math.getExponent(value.doubleValue()) - precision + 1;
        BigDecimal power = new BigDecimal(BigInteger.TWO.pow(Math.abs(shift)));
        BigDecimal unit = shift >= 0 ? power : BigDecimal.ONE.divide(power);
        return value.divide(unit, new MathContext(60))
                .setScale(0, RoundingMode.HALF_EVEN)
                .multiply(unit);
    }
}
