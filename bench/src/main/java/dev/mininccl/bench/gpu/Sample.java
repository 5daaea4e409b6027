package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.mininccl.core.DataType;
import dev.mininccl.core.Float8;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.SplittableRandom;

/** Random inputs that every rank can make for every rank, and whether a result is right by a reference in higher precision. */
final class Sample {
    private final DataType type;
    private final ReduceOp op;
    private final int ranks;
    private final long seed;
    private final int count;

    Sample(DataType type, ReduceOp op, int ranks, int count, long seed) {
        this.type = type;
        this.op = op;
        this.ranks = ranks;
        this.count = count;
        this.seed = seed;
    }

    /** Writes one rank's input. */
    void fill(int rank, MemorySegment to) {
        SplittableRandom random = new SplittableRandom(seed * 31 + rank);
        for (int i = 0; i < count; i++) {
            if (type.isFloating()) {
                putFloat(to, i, random);
            } else {
                putBits(to, i, random.nextLong());
            }
        }
    }

    private void putFloat(MemorySegment to, int i, SplittableRandom random) {
        double v = random.nextInt(200) == 0 ? special(random.nextInt(4)) : random.nextDouble(-1.4, 1.4);
        switch (type) {
            case FLOAT64 -> to.set(JAVA_DOUBLE_UNALIGNED, 8L * i, v);
            case FLOAT32 -> to.set(JAVA_FLOAT_UNALIGNED, 4L * i, (float) v);
            case FLOAT16 -> to.set(JAVA_SHORT_UNALIGNED, 2L * i, Float.floatToFloat16((float) v));
            case BFLOAT16 -> to.set(JAVA_SHORT_UNALIGNED, 2L * i, (short) (Float.floatToRawIntBits((float) v) >>> 16));
            case FLOAT8E4M3, FLOAT8E5M2 -> to.set(JAVA_BYTE, i, Float8.ofFloat(type, (float) v));
            default -> throw new AssertionError(type);
        }
    }

    private double special(int which) {
        return switch (which) {
            case 0 -> Double.NaN;
            // An 8-bit float holds its largest value in its place, and a ring's products saturate at each hop.
            case 1 -> type.bytes() == 1 && op == ReduceOp.PROD ? 1 : Double.POSITIVE_INFINITY;
            case 2 -> -0.0;
            default -> 0.0;
        };
    }

    private void putBits(MemorySegment to, int i, long v) {
        switch (type.bytes()) {
            case 1 -> to.set(JAVA_BYTE, i, (byte) v);
            case 4 -> to.set(JAVA_INT_UNALIGNED, 4L * i, (int) v);
            default -> to.set(JAVA_LONG_UNALIGNED, 8L * i, v);
        }
    }

    /** The number of elements that are wrong, and a word about the first. */
    String wrong(MemorySegment result, MemorySegment[] inputs) {
        int wrong = 0;
        String first = "";
        for (int i = 0; i < count; i++) {
            String complaint = type.isFloating() ? floatWrong(result, inputs, i) : integerWrong(result, inputs, i);
            if (complaint != null && wrong++ == 0) {
                first = "element " + i + ": " + complaint;
            }
        }
        return wrong == 0 ? "" : wrong + " of " + count + " wrong, " + first;
    }

    private String floatWrong(MemorySegment result, MemorySegment[] inputs, int i) {
        double expected = read(inputs[0], i);
        double size = Math.abs(expected);
        for (int r = 1; r < ranks; r++) {
            double x = read(inputs[r], i);
            expected = switch (op) {
                case SUM, AVG -> expected + x;
                case PROD -> expected * x;
                case MAX -> Math.max(expected, x);
                case MIN -> Math.min(expected, x);
            };
            size = op == ReduceOp.PROD ? Math.abs(expected) : size + Math.abs(x);
        }
        expected = op == ReduceOp.AVG ? expected / ranks : expected;
        expected = Double.isNaN(expected) ? expected : Math.clamp(expected, -largest(), largest());
        double got = read(result, i);
        boolean exact = op == ReduceOp.MAX || op == ReduceOp.MIN;
        double allowed = exact ? 0 : ranks * size * epsilon() + tiny();
        boolean right = (exact || !Double.isFinite(expected))
                ? Double.compare(expected, got) == 0 || (Double.isNaN(expected) && Double.isNaN(got))
                : Math.abs(expected - got) <= allowed;
        return right ? null : got + " in place of " + expected;
    }

    private double epsilon() {
        return switch (type) {
            case FLOAT64 -> 0x1p-53;
            case FLOAT32 -> 0x1p-24;
            case FLOAT16 -> 0x1p-11;
            case FLOAT8E4M3 -> 0x1p-4;
            case FLOAT8E5M2 -> 0x1p-3;
            default -> 0x1p-8;
        };
    }

    private double tiny() {
        return switch (type) {
            case FLOAT16 -> 0x1p-22;
            case FLOAT8E4M3 -> ranks * 0x1p-10;
            case FLOAT8E5M2 -> ranks * 0x1p-17;
            default -> 0;
        };
    }

    /** What 8-bit floats hold at most; others go on to infinity. */
    private double largest() {
        return switch (type) {
            case FLOAT8E4M3 -> 448;
            case FLOAT8E5M2 -> 57_344;
            default -> Double.POSITIVE_INFINITY;
        };
    }

    private double read(MemorySegment from, int i) {
        return switch (type) {
            case FLOAT64 -> from.get(JAVA_DOUBLE_UNALIGNED, 8L * i);
            case FLOAT32 -> from.get(JAVA_FLOAT_UNALIGNED, 4L * i);
            case FLOAT16 -> Float.float16ToFloat(from.get(JAVA_SHORT_UNALIGNED, 2L * i));
            case FLOAT8E4M3, FLOAT8E5M2 -> Float8.toFloat(type, from.get(JAVA_BYTE, i));
            default -> Float.intBitsToFloat(from.get(JAVA_SHORT_UNALIGNED, 2L * i) << 16);
        };
    }

    private String integerWrong(MemorySegment result, MemorySegment[] inputs, int i) {
        BigInteger expected = integer(inputs[0], i);
        for (int r = 1; r < ranks; r++) {
            BigInteger x = integer(inputs[r], i);
            expected = switch (op) {
                case SUM, AVG -> expected.add(x);
                case PROD -> expected.multiply(x);
                case MAX -> expected.max(x);
                case MIN -> expected.min(x);
            };
        }
        if (op == ReduceOp.AVG) {
            expected = wrapped(expected).divide(BigInteger.valueOf(ranks));
        }
        BigInteger got = integer(result, i);
        return wrapped(expected).equals(got) ? null : got + " in place of " + expected;
    }

    /** As the type holds it. */
    private BigInteger wrapped(BigInteger v) {
        int bits = type.bytes() * 8;
        BigInteger low = v.mod(BigInteger.TWO.pow(bits));
        return !unsigned() && low.testBit(bits - 1) ? low.subtract(BigInteger.TWO.pow(bits)) : low;
    }

    private BigInteger integer(MemorySegment from, int i) {
        long bits = switch (type.bytes()) {
            case 1 -> from.get(JAVA_BYTE, i);
            case 4 -> from.get(JAVA_INT_UNALIGNED, 4L * i);
            default -> from.get(JAVA_LONG_UNALIGNED, 8L * i);
        };
        return wrapped(BigInteger.valueOf(bits));
    }

    private boolean unsigned() {
        return type == DataType.UINT8 || type == DataType.UINT32 || type == DataType.UINT64;
    }
}
