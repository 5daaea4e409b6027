package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;

/** The values of a float type of 16 or 8 bits, by its definition, and the nearest one by looking through all. */
final class NaiveSmallFloat {

    private static final NaiveSmallFloat BINARY16 = new NaiveSmallFloat(16, 10, 0x7c00, false);
    private static final NaiveSmallFloat BFLOAT16 = new NaiveSmallFloat(16, 7, 0x7f80, false);
    private static final NaiveSmallFloat E4M3 = new NaiveSmallFloat(8, 3, 0x7f, true);
    private static final NaiveSmallFloat E5M2 = new NaiveSmallFloat(8, 2, 0x7c, true);

    private final int width;
    private final int fractionBits;

    /** The first pattern beyond the finite ones: infinity, or for E4M3 NaN. */
    private final int end;

    private final boolean saturates;

    /** Values of all finite patterns without sign, in ascending order, and of the next, which a larger exponent would have. */
    private final double[] magnitudes;

    private NaiveSmallFloat(int width, int fractionBits, int end, boolean saturates) {
        this.width = width;
        this.fractionBits = fractionBits;
        this.end = end;
        this.saturates = saturates;
        magnitudes = new double[end + 1];
        for (int bits = 0; bits <= end; bits++) {
            magnitudes[bits] = magnitude(bits);
        }
    }

    static NaiveSmallFloat of(DataType type) {
        return switch (type) {
            case FLOAT16 -> BINARY16;
            case BFLOAT16 -> BFLOAT16;
            case FLOAT8E4M3 -> E4M3;
            case FLOAT8E5M2 -> E5M2;
            default -> throw new AssertionError(type);
        };
    }

    private double magnitude(int bits) {
        int exponentBits = width - 1 - fractionBits;
        int bias = (1 << (exponentBits - 1)) - 1;
        int exponent = bits >>> fractionBits;
        int fraction = bits & ((1 << fractionBits) - 1);
        return exponent == 0
                ? Math.scalb((double) fraction, 1 - bias - fractionBits)
                : Math.scalb((double) (fraction | 1 << fractionBits), exponent - bias - fractionBits);
    }

    private int sign() {
        return 1 << (width - 1);
    }

    /** The value of a pattern; all types' values are binary32 values too. */
    float value(int bits) {
        int unsigned = bits & (sign() - 1);
        double magnitude = unsigned < end
                ? magnitudes[unsigned]
                : unsigned == end && end != 0x7f ? Double.POSITIVE_INFINITY : Double.NaN;
        return (float) ((bits & sign()) == 0 ? magnitude : -magnitude);
    }

    /** The pattern of the nearest value, of the even one of two. */
    int nearest(float value) {
        if (Float.isNaN(value)) {
            return sign() - 1;
        }
        int sign = Math.copySign(1, value) < 0 ? sign() : 0;
        double magnitude = Math.abs((double) value);
        int most = saturates ? end - 1 : end;
        if (magnitude >= magnitudes[most]) {
            return sign | most;
        }
        int below = 0;
        for (int step = sign(); step > 0; step >>= 1) {
            if (below + step <= most && magnitudes[below + step] <= magnitude) {
                below += step;
            }
        }
        double fromBelow = magnitude - magnitudes[below];
        double fromAbove = magnitudes[below + 1] - magnitude;
        boolean up = fromAbove < fromBelow || (fromAbove == fromBelow && (below & 1) == 1);
        return sign | (up ? below + 1 : below);
    }
}
