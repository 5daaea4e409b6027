package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The pattern of the types of up to 4 bytes, computed in 32-bit integers; plain loops that C2 turns into vectors. */
final class IntPattern extends WordPattern<int[]> {

    /** Added to both sides of a comparison, it makes a signed one unsigned. */
    private final int bias;

    private final byte[] bytes = new byte[CHUNK];
    private final short[] shorts = new short[CHUNK];
    private final float[] floats = new float[CHUNK];

    IntPattern(DataType type, ReduceOp op, int ranks) {
        super(type, op, ranks, new int[CHUNK], new int[CHUNK]);
        this.bias = type == DataType.UINT32 ? Integer.MIN_VALUE : 0;
    }

    @Override
    void clear(int[] a, int count) {
        Arrays.fill(a, 0, count, 0);
    }

    @Override
    void random(int key, int count, int[] into) {
        Pattern.random(key, count, into);
    }

    @Override
    void shorten(int[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >> shift) | odd;
        }
    }

    @Override
    void shortenUnsigned(int[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >>> shift) | odd;
        }
    }

    @Override
    void factors(int[] a, int count, int twice) {
        for (int i = 0; i < count; i++) {
            a[i] = (1 + (a[i] & twice)) * ((a[i] >>> 1 & 1) * 2 - 1);
        }
    }

    @Override
    void add(int[] a, int[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] += b[i];
        }
    }

    @Override
    void multiply(int[] a, int[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] *= b[i];
        }
    }

    @Override
    void max(int[] a, int[] b, int count) {
        int bias = this.bias;
        for (int i = 0; i < count; i++) {
            a[i] = Math.max(a[i] + bias, b[i] + bias) - bias;
        }
    }

    @Override
    void min(int[] a, int[] b, int count) {
        int bias = this.bias;
        for (int i = 0; i < count; i++) {
            a[i] = Math.min(a[i] + bias, b[i] + bias) - bias;
        }
    }

    @Override
    void encode(int[] a, int count, int divisor, MemorySegment target) {
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
