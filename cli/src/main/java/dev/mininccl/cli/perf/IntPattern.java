package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The pattern of the types of up to 4 bytes, computed in 32-bit integers; plain loops that C2 turns into vectors. */
final class IntPattern implements Pattern {

    private final DataType type;
    private final ReduceOp op;
    private final int ranks;
    private final int shift;

    /** Added to both sides of a comparison, it makes a signed one unsigned. */
    private final int bias;

    private final int[] words = new int[CHUNK];
    private final int[] total = new int[CHUNK];
    private final byte[] bytes = new byte[CHUNK];
    private final short[] shorts = new short[CHUNK];
    private final float[] floats = new float[CHUNK];

    IntPattern(DataType type, ReduceOp op, int ranks) {
        this.type = type;
        this.op = op;
        this.ranks = ranks;
        this.shift = Pattern.shortened(type, op, ranks);
        this.bias = type == DataType.UINT32 ? Integer.MIN_VALUE : 0;
    }

    @Override
    public void input(long key, int rank, long chunk, int count, MemorySegment target) {
        values(key, rank, chunk, count, total);
        encode(total, count, 1, target);
    }

    @Override
    public void result(long key, long chunk, int count, MemorySegment target) {
        values(key, 0, chunk, count, total);
        for (int rank = 1; rank < ranks; rank++) {
            values(key, rank, chunk, count, words);
            switch (op) {
                case SUM, AVG -> add(total, words, count);
                case PROD -> multiply(total, words, count);
                case MAX -> max(total, words, count, bias);
                case MIN -> min(total, words, count, bias);
            }
        }
        encode(total, count, op == ReduceOp.AVG ? ranks : 1, target);
    }

    private void values(long key, int rank, long chunk, int count, int[] into) {
        if (rank >= Pattern.adding(type, op, rank + 1)) {
            Arrays.fill(into, 0, count, 0);
            return;
        }
        Pattern.random((int) Pattern.mix(key, rank, chunk), count, into);
        if (op == ReduceOp.PROD && type.isFloating()) {
            factors(into, count, Pattern.doubles(type, ranks) ? 1 : 0);
        } else if (type == DataType.UINT8 || type == DataType.UINT32) {
            shortenUnsigned(into, count, shift, op == ReduceOp.PROD ? 1 : 0);
        } else {
            shorten(into, count, shift, op == ReduceOp.PROD ? 1 : 0);
        }
    }

    /** Odd factors keep a product of many integers from ending at 0. */
    private static void shorten(int[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >> shift) | odd;
        }
    }

    private static void shortenUnsigned(int[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >>> shift) | odd;
        }
    }

    /** 1 or -1, or also 2 or -2. */
    private static void factors(int[] a, int count, int twice) {
        for (int i = 0; i < count; i++) {
            a[i] = (1 + (a[i] & twice)) * ((a[i] >>> 1 & 1) * 2 - 1);
        }
    }

    private static void add(int[] a, int[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] += b[i];
        }
    }

    private static void multiply(int[] a, int[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] *= b[i];
        }
    }

    private static void max(int[] a, int[] b, int count, int bias) {
        for (int i = 0; i < count; i++) {
            a[i] = Math.max(a[i] + bias, b[i] + bias) - bias;
        }
    }

    private static void min(int[] a, int[] b, int count, int bias) {
        for (int i = 0; i < count; i++) {
            a[i] = Math.min(a[i] + bias, b[i] + bias) - bias;
        }
    }

    private void encode(int[] a, int count, int divisor, MemorySegment target) {
        switch (type) {
            case INT8, UINT8 -> {
                divide(a, count, divisor);
                for (int i = 0; i < count; i++) {
                    bytes[i] = (byte) a[i];
                }
                MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, count);
            }
            case INT32, UINT32 -> {
                divide(a, count, divisor);
                MemorySegment.copy(a, 0, target, ValueLayout.JAVA_INT_UNALIGNED, 0, count);
            }
            case FLOAT32 -> {
                toFloats(a, count, divisor);
                MemorySegment.copy(floats, 0, target, ValueLayout.JAVA_FLOAT_UNALIGNED, 0, count);
            }
            case FLOAT16 -> {
                toFloats(a, count, divisor);
                for (int i = 0; i < count; i++) {
                    shorts[i] = Float.floatToFloat16(floats[i]);
                }
                MemorySegment.copy(shorts, 0, target, ValueLayout.JAVA_SHORT_UNALIGNED, 0, count);
            }
            case BFLOAT16 -> {
                toFloats(a, count, divisor);
                for (int i = 0; i < count; i++) {
                    int bits = Float.floatToRawIntBits(floats[i]);
                    shorts[i] = (short) ((bits + 0x7FFF + (bits >>> 16 & 1)) >>> 16);
                }
                MemorySegment.copy(shorts, 0, target, ValueLayout.JAVA_SHORT_UNALIGNED, 0, count);
            }
            case FLOAT8E4M3, FLOAT8E5M2 -> {
                toFloats(a, count, divisor);
                for (int i = 0; i < count; i++) {
                    bytes[i] = Float8.ofFloat(type, floats[i]);
                }
                MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, count);
            }
            default -> throw new IllegalStateException(type + " has 8 bytes");
        }
    }

    private void divide(int[] a, int count, int divisor) {
        if (divisor == 1) {
            return;
        }
        for (int i = 0; i < count; i++) {
            a[i] = type == DataType.UINT32 ? Integer.divideUnsigned(a[i], divisor) : a[i] / divisor;
        }
    }

    private void toFloats(int[] a, int count, int divisor) {
        if (divisor == 1) {
            for (int i = 0; i < count; i++) {
                floats[i] = a[i];
            }
            return;
        }
        for (int i = 0; i < count; i++) {
            floats[i] = (float) ((double) a[i] / divisor);
        }
    }
}
