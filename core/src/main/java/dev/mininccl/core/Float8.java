package dev.mininccl.core;

/**
 * Conversions of the 8-bit floats, as GPUs make them by default (OCP's OFP8 formats).
 *
 * <p>{@link DataType#FLOAT8E4M3} has a sign, 4 bits of exponent (bias 7) and 3 of fraction: up to 448, no infinity, one NaN of each
 * sign. {@link DataType#FLOAT8E5M2} has 5 bits of exponent (bias 15) and 2 of fraction: up to 57,344, with infinities and NaNs.
 *
 * <p>Values are rounded to nearest, of two to the even one, and <em>saturate</em>: what is larger than the largest finite value,
 * infinity included, becomes that value. NaN stays NaN, with its sign.
 */
public final class Float8 {

    private static final int SIGN = 0x80;
    private static final int NOT_A_NUMBER = 0x7f;
    private static final int INFINITY = 0x7f800000;
    private static final int BINARY32_FRACTION = 23;
    private static final int BINARY32_BIAS = 127;
    private static final int E4M3_LARGEST = 0x7e;
    private static final int E5M2_LARGEST = 0x7b;

    /** Added to a small number, it leaves the number rounded to a whole one in the last bits. */
    private static final float ROUNDER = 0x1p23f;

    private static final float[] E4M3 = e4m3();
    private static final float[] E5M2 = e5m2();
    private static final byte[] NEAREST_E4M3 = nearest(3, 7, E4M3_LARGEST);
    private static final byte[] NEAREST_E5M2 = nearest(2, 15, E5M2_LARGEST);

    private Float8() {}

    /**
     * The value of an element.
     *
     * @param type {@link DataType#FLOAT8E4M3} or {@link DataType#FLOAT8E5M2}
     * @param bits the element
     * @return the very value
     * @throws InvalidCallException if the type is another
     */
    public static float toFloat(DataType type, byte bits) {
        if (type == DataType.FLOAT8E4M3) {
            return e4m3ToFloat(bits);
        }
        if (type == DataType.FLOAT8E5M2) {
            return e5m2ToFloat(bits);
        }
        throw refused(type);
    }

    /**
     * The element nearest to a value.
     *
     * @param type {@link DataType#FLOAT8E4M3} or {@link DataType#FLOAT8E5M2}
     * @param value any
     * @return the element
     * @throws InvalidCallException if the type is another
     */
    public static byte ofFloat(DataType type, float value) {
        if (type == DataType.FLOAT8E4M3) {
            return floatToE4m3(value);
        }
        if (type == DataType.FLOAT8E5M2) {
            return floatToE5m2(value);
        }
        throw refused(type);
    }

    /**
     * As {@link #toFloat} of {@link DataType#FLOAT8E4M3}.
     *
     * @param bits the element
     * @return the very value
     */
    public static float e4m3ToFloat(byte bits) {
        return E4M3[bits & 0xff];
    }

    /**
     * As {@link #toFloat} of {@link DataType#FLOAT8E5M2}.
     *
     * @param bits the element
     * @return the very value
     */
    public static float e5m2ToFloat(byte bits) {
        return E5M2[bits & 0xff];
    }

    /**
     * As {@link #ofFloat} of {@link DataType#FLOAT8E4M3}.
     *
     * @param value any
     * @return the element
     */
    public static byte floatToE4m3(float value) {
        return NEAREST_E4M3[upperHalf(value)];
    }

    /**
     * As {@link #ofFloat} of {@link DataType#FLOAT8E5M2}.
     *
     * @param value any
     * @return the element
     */
    public static byte floatToE5m2(float value) {
        return NEAREST_E5M2[upperHalf(value)];
    }

    /**
     * The upper half of a binary32 with a last bit that stands for all that was cut off (rounding to odd): enough for rounding to
     * four digits and fewer as the whole number would.
     */
    private static int upperHalf(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (bits >>> 16) | (((bits & 0xffff) + 0xffff) >>> 16);
    }

    /** The nearest elements of all upper halves. */
    private static byte[] nearest(int fraction, int bias, int largest) {
        byte[] nearest = new byte[1 << 16];
        for (int half = 0; half < nearest.length; half++) {
            nearest[half] = narrowed(half << 16, fraction, bias, largest);
        }
        return nearest;
    }

    private static byte narrowed(int bits, int fraction, int bias, int largest) {
        int magnitude = bits & 0x7fffffff;
        int sign = (bits >>> 24) & SIGN;
        if (magnitude > INFINITY) {
            return (byte) (sign | NOT_A_NUMBER);
        }
        int dropped = BINARY32_FRACTION - fraction;
        int rebased = BINARY32_BIAS - bias;
        int rounded;
        if (magnitude < (rebased + 1) << BINARY32_FRACTION) {
            // Below the smallest normal number: count its steps.
            float steps = Float.intBitsToFloat(magnitude)
                    * Float.intBitsToFloat((BINARY32_BIAS + bias - 1 + fraction) << BINARY32_FRACTION);
            rounded = Float.floatToRawIntBits(steps + ROUNDER) & 0xff;
        } else {
            int half = (1 << (dropped - 1)) - 1 + ((magnitude >>> dropped) & 1);
            rounded = ((magnitude + half) >>> dropped) - (rebased << fraction);
        }
        return (byte) (sign | Math.min(rounded, largest));
    }

    /** An e4m3 is a binary16 with a smaller bias, whose exponent lacks its first bit. */
    private static float[] e4m3() {
        float[] values = new float[256];
        for (int bits = 0; bits < values.length; bits++) {
            short half = (short) (((bits & SIGN) << 8) | ((bits & 0x7f) << 7));
            values[bits] = (bits & 0x7f) == NOT_A_NUMBER ? Float.NaN : Float.float16ToFloat(half) * 256;
        }
        return values;
    }

    /** An e5m2 is the upper half of a binary16. */
    private static float[] e5m2() {
        float[] values = new float[256];
        for (int bits = 0; bits < values.length; bits++) {
            values[bits] = Float.float16ToFloat((short) (bits << 8));
        }
        return values;
    }

    private static InvalidCallException refused(DataType type) {
        return new InvalidCallException("type " + type + ": must be FLOAT8E4M3 or FLOAT8E5M2");
    }
}
