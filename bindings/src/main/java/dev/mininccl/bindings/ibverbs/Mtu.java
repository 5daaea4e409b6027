package dev.mininccl.bindings.ibverbs;

/** Largest payload of one packet ({@code enum ibv_mtu}). */
public enum Mtu {
    /** 256 bytes. */
    B256(1),
    /** 512 bytes. */
    B512(2),
    /** 1,024 bytes. */
    B1024(3),
    /** 2,048 bytes. */
    B2048(4),
    /** 4,096 bytes. */
    B4096(5);

    private static final Mtu[] VALUES = values();

    private final int code;

    Mtu(int code) {
        this.code = code;
    }

    /**
     * The constant of a number of the C enumeration.
     *
     * @param code 1 to 5
     * @return the constant
     * @throws IllegalArgumentException for another number
     */
    public static Mtu of(int code) {
        if (code < 1 || code > VALUES.length) {
            throw new IllegalArgumentException("MTU code " + code + " is not in 1.." + VALUES.length);
        }
        return VALUES[code - 1];
    }

    /**
     * The number in the C enumeration.
     *
     * @return 1 to 5
     */
    public int code() {
        return code;
    }

    /**
     * The payload.
     *
     * @return in bytes
     */
    public int bytes() {
        return 128 << code;
    }

    /**
     * The smaller of two: what both ends of a connection can do.
     *
     * @param other the other end's
     * @return the smaller one
     */
    public Mtu min(Mtu other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
