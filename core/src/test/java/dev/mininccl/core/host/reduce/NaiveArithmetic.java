package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Reductions of single elements, given and returned as bits, by exact arithmetic that shares nothing with the kernels. */
final class NaiveArithmetic {

    private NaiveArithmetic() {}

    /** One element of {@link Reducer#reduceAll}. */
    static long reduced(DataType type, ReduceOp op, long[] bits, int ranks) {
        boolean average = op == ReduceOp.AVG;
        return switch (type) {
            case INT8, UINT8, INT32, UINT32, INT64, UINT64 -> integer(type, op, bits, ranks);
            case FLOAT64 -> Double.doubleToRawLongBits(binary64(op, bits, ranks));
            case FLOAT32 -> {
                float result = toFloat(type, bits[0]);
                for (int k = 1; k < bits.length; k++) {
                    result = binary32(op, result, toFloat(type, bits[k]));
                }
                yield Float.floatToRawIntBits(average ? (float) ((double) result / ranks) : result) & 0xffff_ffffL;
            }
            case FLOAT16, BFLOAT16, FLOAT8E4M3, FLOAT8E5M2 -> {
                float result = toFloat(type, bits[0]);
                for (int k = 1; k < bits.length; k++) {
                    result = binary32(op, result, toFloat(type, bits[k]));
                }
                yield NaiveSmallFloat.of(type).nearest(average ? (float) ((double) result / ranks) : result);
            }
        };
    }

    /** Whether two results are the same bits, or both NaN. */
    static boolean same(DataType type, long a, long b) {
        return a == b || (type.isFloating() && isNaN(type, a) && isNaN(type, b));
    }

    private static boolean isNaN(DataType type, long bits) {
        return type == DataType.FLOAT64
                ? Double.isNaN(Double.longBitsToDouble(bits))
                : Float.isNaN(toFloat(type, bits));
    }

    private static float toFloat(DataType type, long bits) {
        return type == DataType.FLOAT32
                ? Float.intBitsToFloat((int) bits)
                : NaiveSmallFloat.of(type).value((int) bits);
    }

    private static long integer(DataType type, ReduceOp op, long[] bits, int ranks) {
        BigInteger result = number(type, bits[0]);
        for (int k = 1; k < bits.length; k++) {
            BigInteger operand = number(type, bits[k]);
            BigInteger combined = switch (op) {
                case SUM, AVG -> result.add(operand);
                case PROD -> result.multiply(operand);
                case MAX -> result.max(operand);
                case MIN -> result.min(operand);
            };
            result = number(type, combined.longValue());
        }
        if (op == ReduceOp.AVG) {
            result = result.divide(BigInteger.valueOf(ranks));
        }
        return result.longValue() & mask(type);
    }

    private static long mask(DataType type) {
        return -1L >>> (64 - 8 * type.bytes());
    }

    private static BigInteger number(DataType type, long bits) {
        int width = 8 * type.bytes();
        BigInteger unsigned =
                BigInteger.valueOf(bits).and(BigInteger.ONE.shiftLeft(width).subtract(BigInteger.ONE));
        boolean signed = type == DataType.INT8 || type == DataType.INT32 || type == DataType.INT64;
        return signed && unsigned.testBit(width - 1) ? unsigned.subtract(BigInteger.ONE.shiftLeft(width)) : unsigned;
    }

    /** Binary64 holds more than twice the digits of binary32, so rounding twice is rounding once. */
    private static float binary32(ReduceOp op, float x, float y) {
        return switch (op) {
            case SUM, AVG -> (float) ((double) x + (double) y);
            case PROD -> (float) ((double) x * (double) y);
            case MAX, MIN -> (float) extreme(op, x, y);
        };
    }

    private static double binary64(ReduceOp op, long[] bits, int ranks) {
        double result = Double.longBitsToDouble(bits[0]);
        for (int k = 1; k < bits.length; k++) {
            double operand = Double.longBitsToDouble(bits[k]);
            result = switch (op) {
                case SUM, AVG -> exact(result, operand, result + operand, false);
                case PROD -> exact(result, operand, result * operand, true);
                case MAX, MIN -> extreme(op, result, operand);
            };
        }
        return op == ReduceOp.AVG ? quotient(result, ranks) : result;
    }

    /** The exact result, rounded; where it is zero or an operand is not finite, what the processor says. */
    private static double exact(double x, double y, double otherwise, boolean product) {
        if (!Double.isFinite(x) || !Double.isFinite(y)) {
            return otherwise;
        }
        BigDecimal exact =
                product ? new BigDecimal(x).multiply(new BigDecimal(y)) : new BigDecimal(x).add(new BigDecimal(y));
        return exact.signum() == 0 ? otherwise : exact.doubleValue();
    }

    /** So many digits, cut off, round as the exact quotient does, which for odd divisors never lies in the middle of two numbers. */
    private static double quotient(double x, int ranks) {
        if (!Double.isFinite(x) || x == 0) {
            return x;
        }
        return new BigDecimal(x)
                .divide(BigDecimal.valueOf(ranks), new MathContext(60, RoundingMode.DOWN))
                .doubleValue();
    }

    private static double extreme(ReduceOp op, double x, double y) {
        if (Double.isNaN(x) || Double.isNaN(y)) {
            return Double.NaN;
        }
        boolean less = x < y || (x == y && Math.copySign(1, x) < Math.copySign(1, y));
        return less == (op == ReduceOp.MIN) ? x : y;
    }
}
