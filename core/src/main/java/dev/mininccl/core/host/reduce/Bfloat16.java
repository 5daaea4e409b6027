package dev.mininccl.core.host.reduce;

/** Conversions of bfloat16, the upper half of a binary32. */
final class Bfloat16 {

    private Bfloat16() {}

    static float toFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /**
     * Rounds to nearest even. Half of the last kept bit is added to the bits, a little less if that bit is even; the carry into
     * the exponent is right, up to infinity.
     *
     * <p>A NaN needs no branch: it comes from arithmetic on bfloat16, so its payload is a default one or that of an operand
     * and its lower half is 0, where nothing carries.
     */
    static short ofFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
    }
}
