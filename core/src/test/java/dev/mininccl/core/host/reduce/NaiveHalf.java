package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;

/** The values of a 16-bit float type, by its definition, and the nearest one by looking through all. */
final class NaiveHalf {

    private static final NaiveHalf BINARY16 = new NaiveHalf(10);
    private static final NaiveHalf BFLOAT16 = new NaiveHalf(7);

    private static final int SIGN = 0x8000;

    private final int fractionBits;
    /** Values of all patterns without sign, in ascending order, up to the infinity, which stands for the next power of two. */
    private final double[] magnitudes;

    private NaiveHalf(int fractionBits) {
        this.fractionBits = fractionBits;
        magnitudes = new double[infinity() + 1];
        for (int bits = 0; bits <= infinity(); bits++) {
            magnitudes[bits] = magnitude(bits);
        }
    }

    static NaiveHalf of(DataType type) {
        return type == DataType.FLOAT16 ? BINARY16 : BFLOAT16;
    }

    private int infinity() {
        return 0x7fff >>> fractionBits << fractionBits;
    }

    private double magnitude(int bits) {
        int exponentBits = 15 - fractionBits;
        int bias = (1 << (exponentBits - 1)) - 1;
        int exponent = bits >>> fractionBits;
        int fraction = bits & ((1 << fractionBits) - 1);
        return exponent == 0
                ? Math.scalb((double) fraction, 1 - bias - fractionBits)
                : Math.scalb((double) (fraction | 1 << fractionBits), exponent - bias - fractionBits);
    }

    /** The value of a pattern; both types' values are binary32 values too. */
    float value(int bits) {
        int unsigned = bits & 0x7fff;
        double magnitude = unsigned > infinity()
                ? Double.NaN
                : unsigned == infinity() ? Double.POSITIVE_INFINITY : magnitudes[unsigned];
        return (float) ((bits & SIGN) == 0 ? magnitude : -magnitude);
    }

    /** The pattern of the nearest value, of the even one of two. */
    int nearest(float value) {
        if (Float.isNaN(value)) {
            return 0x7fff;
        }
        int sign = Math.copySign(1, value) < 0 ? SIGN : 0;
        double magnitude = Math.abs((double) value);
        if (magnitude >= magnitudes[infinity()]) {
            return sign | infinity();
        }
        int below = 0;
        for (int step = SIGN; step > 0; step >>= 1) {
            if (below + step <= infinity() && magnitudes[below + step] <= magnitude) {
                below += step;
            }
        }
        double fromBelow = magnitude - magnitudes[below];
        double fromAbove = magnitudes[below + 1] - magnitude;
        boolean up = fromAbove < fromBelow || (fromAbove == fromBelow && (below & 1) == 1);
        return sign | (up ? below + 1 : below);
    }
}
