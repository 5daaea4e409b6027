package dev.mininccl.core;

/**
 * Element types. {@link #code()} equals the value in {@code nccl.h} ({@code ncclDataType_t}).
 *
 * <p>Integers wrap on overflow. Floating-point results follow IEEE 754, rounded to nearest even; NaN propagates through
 * every operation, max and min included (which payload survives is not defined). The 16- and 8-bit ones are accumulated in binary32
 * and rounded once, by rings at each hop; 8-bit ones saturate, so that an infinity becomes the largest finite value.
 */
public enum DataType {
    /** 8-bit signed integer. */
    INT8(0, 1, "int8"),
    /** 8-bit unsigned integer. */
    UINT8(1, 1, "uint8"),
    /** 32-bit signed integer. */
    INT32(2, 4, "int32"),
    /** 32-bit unsigned integer. */
    UINT32(3, 4, "uint32"),
    /** 64-bit signed integer. */
    INT64(4, 8, "int64"),
    /** 64-bit unsigned integer. */
    UINT64(5, 8, "uint64"),
    /** IEEE 754 binary16. */
    FLOAT16(6, 2, "half"),
    /** IEEE 754 binary32. */
    FLOAT32(7, 4, "float"),
    /** IEEE 754 binary64. */
    FLOAT64(8, 8, "double"),
    /** The upper half of a binary32: 8 bits of exponent, 7 of fraction. */
    BFLOAT16(9, 2, "bfloat16"),
    /** 8 bits with 4 of exponent and 3 of fraction, up to 448, without infinities; results saturate: see {@link Float8}. */
    FLOAT8E4M3(10, 1, "f8e4m3"),
    /** 8 bits with 5 of exponent and 2 of fraction, up to 57,344; results saturate: see {@link Float8}. */
    FLOAT8E5M2(11, 1, "f8e5m2");

    private static final DataType[] BY_CODE = values();

    private final int code;
    private final int bytes;
    private final String label;

    DataType(int code, int bytes, String label) {
        this.code = code;
        this.bytes = bytes;
        this.label = label;
    }

    /**
     * The value in {@code nccl.h}.
     *
     * @return 0 to 11
     */
    public int code() {
        return code;
    }

    /**
     * The size of an element.
     *
     * @return bytes: 1, 2, 4 or 8
     */
    public int bytes() {
        return bytes;
    }

    /**
     * The name that nccl-tests prints and takes.
     *
     * @return for example {@code float}
     */
    public String label() {
        return label;
    }

    /**
     * Whether the type has a fraction.
     *
     * @return true for the six floating-point types
     */
    public boolean isFloating() {
        return code >= FLOAT16.code;
    }

    /**
     * The type with a given value of {@code nccl.h}.
     *
     * @param code the value
     * @return the type
     * @throws InvalidCallException if this library has no type of that value
     */
    public static DataType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new InvalidCallException("data type " + code + ": must be 0 to " + (BY_CODE.length - 1));
        }
        return BY_CODE[code];
    }
}
