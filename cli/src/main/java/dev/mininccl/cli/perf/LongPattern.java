package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The pattern of the 8-byte types, computed in 64-bit integers; plain loops that C2 turns into vectors where it can. */
final class LongPattern implements Pattern {

    private final DataType type;
    private final ReduceOp op;
    private final int ranks;
    private final int shift;

    /** Added to both sides of a comparison, it makes a signed one unsigned. */
    private final long bias;

    private final int[] random = new int[CHUNK];
    private final long[] words = new long[CHUNK];
    private final long[] total = new long[CHUNK];
    private final double[] doubles = new double[CHUNK];

    LongPattern(DataType type, ReduceOp op, int ranks) {
        this.type = type;
        this.op = op;
        this.ranks = ranks;
        this.shift = Pattern.shortened(type, op, ranks);
        this.bias = type == DataType.UINT64 ? Long.MIN_VALUE : 0;
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

    private void values(long key, int rank, long chunk, int count, long[] into) {
        Pattern.random((int) Pattern.mix(key, rank, chunk), count, random);
        for (int i = 0; i < count; i++) {
            into[i] = random[i] * 0x9E3779B97F4A7C15L;
        }
        if (op == ReduceOp.PROD && type.isFloating()) {
            factors(into, count, Pattern.doubles(type, ranks) ? 1 : 0);
        } else if (type == DataType.UINT64) {
            shortenUnsigned(into, count, shift, op == ReduceOp.PROD ? 1 : 0);
        } else {
            shorten(into, count, shift, op == ReduceOp.PROD ? 1 : 0);
        }
    }

    /** Odd factors keep a product of many integers from ending at 0. */
    private static void shorten(long[] a, int count, int shift, long odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >> shift) | odd;
        }
    }

    private static void shortenUnsigned(long[] a, int count, int shift, long odd) {
        for (int i = 0; i < count; i++) {
            a[i] = (a[i] >>> shift) | odd;
        }
    }

    /** 1 or -1, or also 2 or -2. */
    private static void factors(long[] a, int count, long twice) {
        for (int i = 0; i < count; i++) {
            a[i] = (1 + (a[i] >>> 40 & twice)) * ((a[i] >>> 41 & 1) * 2 - 1);
        }
    }

    private static void add(long[] a, long[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] += b[i];
        }
    }

    private static void multiply(long[] a, long[] b, int count) {
        for (int i = 0; i < count; i++) {
            a[i] *= b[i];
        }
    }

    private static void max(long[] a, long[] b, int count, long bias) {
        for (int i = 0; i < count; i++) {
            a[i] = Math.max(a[i] + bias, b[i] + bias) - bias;
        }
    }

    private static void min(long[] a, long[] b, int count, long bias) {
        for (int i = 0; i < count; i++) {
            a[i] = Math.min(a[i] + bias, b[i] + bias) - bias;
        }
    }

    private void encode(long[] a, int count, int divisor, MemorySegment target) {
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
