package dev.mininccl.matrix;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The naive reference: inputs are small integers that every type holds exactly, made from rank and index; expected values
 * are computed one by one, with none of the library's code.
 */
final class Elements {

    private static final int[] FACTORS = {1, 2, -1, 1, 1, -2, 1};
    private static final float[] E4M3 = float8(3, 7, 0x7e);
    private static final float[] E5M2 = float8(2, 15, 0x7b);

    private Elements() {}

    /** A rank's input at an index; unsigned types get no negative ones, 8-bit floats none whose sums they cannot hold. */
    static int input(DataType type, ReduceOp op, int rank, long index) {
        int value = op == ReduceOp.PROD
                ? FACTORS[(int) ((index + 3L * rank) % FACTORS.length)]
                : (int) ((index * 7 + rank * 3L) % 9) - 4;
        if (type == DataType.FLOAT8E4M3 || type == DataType.FLOAT8E5M2) {
            return op == ReduceOp.PROD ? value : Integer.signum(value);
        }
        return unsigned(type) ? Math.abs(value) : value;
    }

    static void put(MemorySegment segment, DataType type, long index, int value) {
        long at = index * type.bytes();
        switch (type) {
            case INT8, UINT8 -> segment.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case INT32, UINT32 -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, value);
            case INT64, UINT64 -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
            case FLOAT16 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(value));
            case BFLOAT16 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, bfloat16(value));
            case FLOAT32 -> segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
            case FLOAT64 -> segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
            case FLOAT8E4M3, FLOAT8E5M2 -> segment.set(ValueLayout.JAVA_BYTE, at, float8(type, value));
        }
    }

    /** An element as a double; exact for all values that occur here. */
    static double get(MemorySegment segment, DataType type, long index) {
        long at = index * type.bytes();
        return switch (type) {
            case INT8 -> segment.get(ValueLayout.JAVA_BYTE, at);
            case UINT8 -> Byte.toUnsignedInt(segment.get(ValueLayout.JAVA_BYTE, at));
            case INT32 -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case UINT32 -> Integer.toUnsignedLong(segment.get(ValueLayout.JAVA_INT_UNALIGNED, at));
            case INT64, UINT64 -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case FLOAT16 -> Float.float16ToFloat(segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
            case BFLOAT16 -> Float.intBitsToFloat(segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) << 16);
            case FLOAT32 -> segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case FLOAT64 -> segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            case FLOAT8E4M3, FLOAT8E5M2 -> float8(type, segment.get(ValueLayout.JAVA_BYTE, at));
        };
    }

    /** What all ranks must get at an index. */
    static double expected(DataType type, ReduceOp op, int ranks, long index) {
        double result = input(type, op, 0, index);
        for (int rank = 1; rank < ranks; rank++) {
            int value = input(type, op, rank, index);
            result = switch (op) {
                case SUM, AVG -> result + value;
                case PROD -> result * value;
                case MAX -> Math.max(result, value);
                case MIN -> Math.min(result, value);
            };
        }
        return op == ReduceOp.AVG ? average(type, result, ranks) : result;
    }

    private static double average(DataType type, double sum, int ranks) {
        return switch (type) {
            case FLOAT64 -> sum / ranks;
            case FLOAT32 -> (float) sum / ranks;
            case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) sum / ranks));
            case BFLOAT16 -> Float.intBitsToFloat(bfloat16((float) sum / ranks) << 16);
            case FLOAT8E4M3, FLOAT8E5M2 -> float8(type, float8(type, (float) sum / ranks));
            default -> Math.signum(sum) * Math.floor(Math.abs(sum) / ranks);
        };
    }

    private static boolean unsigned(DataType type) {
        return type == DataType.UINT8 || type == DataType.UINT32 || type == DataType.UINT64;
    }

    /** To nearest, ties to even; no NaN comes here. */
    private static short bfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        int below = bits & 0xffff;
        int upper = bits >>> 16;
        boolean up = below > 0x8000 || (below == 0x8000 && (upper & 1) == 1);
        return (short) (up ? upper + 1 : upper);
    }

    private static float float8(DataType type, byte bits) {
        float magnitude = (type == DataType.FLOAT8E4M3 ? E4M3 : E5M2)[bits & 0x7f];
        return bits < 0 ? -magnitude : magnitude;
    }

    /** The nearest 8-bit float, of two the even one, looked for among all. */
    private static byte float8(DataType type, float value) {
        float[] magnitudes = type == DataType.FLOAT8E4M3 ? E4M3 : E5M2;
        float magnitude = Math.abs(value);
        int best = 0;
        for (int bits = 1; bits < magnitudes.length; bits++) {
            float closer = Math.abs(magnitude - magnitudes[best]) - Math.abs(magnitude - magnitudes[bits]);
            if (closer > 0 || (closer == 0 && (bits & 1) == 0)) {
                best = bits;
            }
        }
        return (byte) (value < 0 ? best | 0x80 : best);
    }

    /** The finite values without sign, by the format's definition. */
    private static float[] float8(int fractionBits, int bias, int largest) {
        float[] magnitudes = new float[largest + 1];
        for (int bits = 0; bits <= largest; bits++) {
            int exponent = bits >>> fractionBits;
            int fraction = bits & ((1 << fractionBits) - 1);
            magnitudes[bits] = exponent == 0
                    ? Math.scalb((float) fraction, 1 - bias - fractionBits)
                    : Math.scalb((float) (fraction | 1 << fractionBits), exponent - bias - fractionBits);
        }
        return magnitudes;
    }
}
