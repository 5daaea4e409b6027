package dev.mininccl.core.host.reduce;

/**
 * The operations on single elements. The combination is a parameter which every caller passes as a constant of its class, so that
 * one case remains when the call is inlined.
 */
final class Arithmetic {

    static final int SUM = 0;
    static final int PROD = 1;
    static final int MAX = 2;
    static final int MIN = 3;

    private Arithmetic() {}

    /**
     * Combines two integers.
     *
     * @param flip for unsigned elements the sign bit (of a byte, extended as bytes are), else 0: it turns the order of signed
     *     numbers into that of unsigned ones
     */
    static int combine(int combination, int x, int y, int flip) {
        return switch (combination) {
            case PROD -> x * y;
            case MAX -> Math.max(x ^ flip, y ^ flip) ^ flip;
            case MIN -> Math.min(x ^ flip, y ^ flip) ^ flip;
            default -> x + y;
        };
    }

    static long combine(int combination, long x, long y, long flip) {
        return switch (combination) {
            case PROD -> x * y;
            case MAX -> Math.max(x ^ flip, y ^ flip) ^ flip;
            case MIN -> Math.min(x ^ flip, y ^ flip) ^ flip;
            default -> x + y;
        };
    }

    static float combine(int combination, float x, float y) {
        return switch (combination) {
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            default -> x + y;
        };
    }

    static double combine(int combination, double x, double y) {
        return switch (combination) {
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            default -> x + y;
        };
    }
}
