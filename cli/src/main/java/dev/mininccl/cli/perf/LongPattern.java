package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** The pattern of the 8-byte types, computed in 64-bit integers; plain loops that C2 turns into vectors where it can. */
final class LongPattern extends WordPattern<long[]> {

    /** Added to both sides of a comparison, it makes a signed one unsigned. */
    private final long bias;

    private final int[] random = new int[CHUNK];
    private final double[] doubles = new double[CHUNK];

    LongPattern(DataType type, ReduceOp op, int ranks) {
        super(type, op, ranks, new long[CHUNK], new long[CHUNK]);
        this.bias = type == DataType.UINT64 ? Long.MIN_VALUE : 0;
    }

    @Override
    void clear(long[] a, int count) {
        Arrays.fill(a, 0, count, 0);
    }

    @Override
    void random(int key, int count, long[] into) {
        Pattern.random(key, count, random);
        for (int i = 0; i < count; i++) {
            into[i] = random[i] * 0x9E3779B97F4A7C15L;
        }
    }

    @Override
    void shorten(long[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >> shift) | odd;
        }
    }

    @Override
    void shortenUnsigned(long[] a, int count, int shift, int odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >>> shift) | odd;
        }
    }

    @Override
    void factors(long[] a, int count, int twice) {
        for (int i = 0; i < count; i++) {
            a[i] = (1 + (a[i] >>> 40 & twice)) * ((a[i] >>> 41 & 1) * 2 - 1);
        }
    }

    @Override
    void add(long[] a, long[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] += b[i];
        }
    }

    @Override
    void multiply(long[] a, long[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] *= b[i];
        }
    }

    @Override
    void max(long[] a, long[] b, int count) {
        long bias = this.bias;
        for (int i = 0; i < count; i++) {
            a[i] = Math.max(a[i] + bias, b[i] + bias) - bias;
        }
    }

    @Override
    void min(long[] a, long[] b, int count) {
        long bias = this.bias;
        for (int i = 0; i < count; i++) {
            a[i] = Math.min(a[i] + bias, b[i] + bias) - bias;
        }
    }

    @Override
    void encode(long[] a, int count, int divisor, MemorySegment target) {
        if (type == DataType.FLOAT64) {
            for (int i = 0; i < count; i++) {
                doubles[i] = (double) a[i] / divisor;
            }
            MemorySegment.copy(doubles, 0, target, ValueLayout.JAVA_DOUBLE_UNALIGNED, 0, count);
            return;
        }
        if (divisor != 1) {
            for (int i = 0; i < count; i++) {
                a[i] = type == DataType.UINT64 ? Long.divideUnsigned(a[i], divisor) : a[i] / divisor;
            }
        }
        MemorySegment.copy(a, 0, target, ValueLayout.JAVA_LONG_UNALIGNED, 0, count);
    }
}
