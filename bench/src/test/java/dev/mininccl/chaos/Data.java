package dev.mininccl.chaos;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Inputs of which every rank can compute every other's, small enough that all sums and products are exact in all types. */
final class Data {

    /** Above so many elements only some are compared: those at the ends, and every few hundred. */
    private static final int COMPARE_ALL = 1 << 15;

    private static final int STRIDE = 253;

    private Data() {}

    /** What a rank gives as its i-th element: 1 to 4. */
    static long value(int rank, int step, long i) {
        return 1 + ((((i * 0x9E3779B97F4A7C15L) >>> 61) + rank * 3L + step) & 3);
    }

    /** What all ranks' i-th elements make. */
    static long reduced(ReduceOp op, int ranks, int step, long i) {
        long result = value(0, step, i);
        for (int rank = 1; rank < ranks; rank++) {
            long next = value(rank, step, i);
            result = switch (op) {
                case SUM -> result + next;
                case PROD -> result * next;
                case MIN -> Math.min(result, next);
                case MAX -> Math.max(result, next);
                default -> throw new IllegalArgumentException(op.label());
            };
        }
        return result;
    }

    /** Fills with a rank's elements from the given one on. */
    static void fill(MemorySegment memory, DataType type, int count, int rank, int step, long first) {
        for (int i = 0; i < count; i++) {
            put(memory, type, i, value(rank, step, first + i));
        }
    }

    /** What is wrong with a part, or {@code null}. */
    static String compare(MemorySegment memory, DataType type, int count, Expected expected) {
        for (int i = 0; i < count; i += (count <= COMPARE_ALL || i < 1000 || i >= count - 1000) ? 1 : STRIDE) {
            double is = get(memory, type, i);
            if (is != expected.at(i)) {
                return "element " + i + " of " + count + " is " + is + ", not " + expected.at(i);
            }
        }
        return null;
    }

    /** What an element should be. */
    interface Expected {
        long at(long i);
    }

    private static void put(MemorySegment memory, DataType type, long i, long value) {
        switch (type) {
            case INT8 -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) value);
            case INT32 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, (int) value);
            case INT64 -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i, value);
            case FLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, Float.floatToFloat16((float) value));
            case BFLOAT16 ->
                memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, (short)
                        (Float.floatToRawIntBits((float) value) >> 16));
            case FLOAT32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * i, (float) value);
            case FLOAT64 -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * i, (double) value);
            default -> throw new IllegalArgumentException(type.label());
        }
    }

    private static double get(MemorySegment memory, DataType type, long i) {
        return switch (type) {
            case INT8 -> memory.get(ValueLayout.JAVA_BYTE, i);
            case INT32 -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * i);
            case INT64 -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i);
            case FLOAT16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i));
            case BFLOAT16 -> Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i) << 16);
            case FLOAT32 -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * i);
            case FLOAT64 -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * i);
            default -> throw new IllegalArgumentException(type.label());
        };
    }
}
