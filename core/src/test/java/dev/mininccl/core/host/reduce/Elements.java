package dev.mininccl.core.host.reduce;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import java.util.random.RandomGenerator;

/** Elements in native memory as bits. */
final class Elements {

    private static final long[] SPECIAL_DOUBLES = {
        0L,
        Long.MIN_VALUE,
        1,
        Double.doubleToRawLongBits(-Double.MIN_VALUE),
        Double.doubleToRawLongBits(Double.MIN_NORMAL),
        Double.doubleToRawLongBits(Double.MAX_VALUE),
        Double.doubleToRawLongBits(-Double.MAX_VALUE),
        Double.doubleToRawLongBits(Double.POSITIVE_INFINITY),
        Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY),
        Double.doubleToRawLongBits(1.0),
        0x7ff8_0000_0000_0000L,
        0x7ff0_0000_0000_0001L,
        -1L
    };

    private Elements() {}

    static long get(DataType type, long address) {
        return switch (type.bytes()) {
            case 1 -> NativeMemory.getByte(address) & 0xffL;
            case 2 -> NativeMemory.getShort(address) & 0xffffL;
            case 4 -> NativeMemory.getInt(address) & 0xffff_ffffL;
            default -> NativeMemory.getLong(address);
        };
    }

    static void put(DataType type, long address, long bits) {
        switch (type.bytes()) {
            case 1 -> NativeMemory.putByte(address, (byte) bits);
            case 2 -> NativeMemory.putShort(address, (short) bits);
            case 4 -> NativeMemory.putInt(address, (int) bits);
            default -> NativeMemory.putLong(address, bits);
        }
    }

    /** Any bits at all, numbers of like magnitude that round when added, or the special ones. */
    static long random(DataType type, RandomGenerator random) {
        int kind = random.nextInt(8);
        if (kind < 3 || !type.isFloating()) {
            return random.nextLong() & (-1L >>> (64 - 8 * type.bytes()));
        }
        double value = kind == 3
                ? Double.longBitsToDouble(SPECIAL_DOUBLES[random.nextInt(SPECIAL_DOUBLES.length)])
                : random.nextGaussian() * 16;
        return switch (type) {
            case FLOAT64 -> Double.doubleToRawLongBits(value);
            case FLOAT32 -> Float.floatToRawIntBits((float) value) & 0xffff_ffffL;
            default -> NaiveSmallFloat.of(type).nearest((float) value);
        };
    }
}
