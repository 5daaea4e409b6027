package dev.mininccl.bindings.ibverbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A global identifier: 16 bytes in the form of an IPv6 address. RoCE v2 over IPv4 uses the IPv4-mapped form.
 *
 * @param high bytes 0 to 7, the first being the most significant
 * @param low bytes 8 to 15
 */
public record Gid(long high, long low) {
    /** Size of a GID in memory. */
    public static final int BYTES = 16;

    /** The GID of no port. */
    public static final Gid ZERO = new Gid(0, 0);

    private static final ValueLayout.OfLong WIRE = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long IPV4_MAPPED = 0xffff;

    static Gid read(MemorySegment source, long offset) {
        return new Gid(source.get(WIRE, offset), source.get(WIRE, offset + Long.BYTES));
    }

    void write(MemorySegment target, long offset) {
        target.set(WIRE, offset, high);
        target.set(WIRE, offset + Long.BYTES, low);
    }

    /**
     * The GID of an address, IPv4-mapped for IPv4.
     *
     * @param address the address
     * @return its GID
     */
    public static Gid of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address
                ? new Gid(0, IPV4_MAPPED << 32 | Integer.toUnsignedLong(bytes.getInt()))
                : new Gid(bytes.getLong(), bytes.getLong());
    }

    /**
     * The same 16 bytes as an address.
     *
     * @return an IPv4 address if mapped, otherwise an IPv6 one
     */
    public InetAddress address() {
        byte[] bytes = ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Whether this is an IPv4 address, {@code ::ffff:a.b.c.d}.
     *
     * @return true for the mapped form
     */
    public boolean isIpv4Mapped() {
        return high == 0 && low >>> 32 == IPV4_MAPPED;
    }

    /**
     * Whether no address is in it.
     *
     * @return true for an unused entry of a table
     */
    public boolean isZero() {
        return high == 0 && low == 0;
    }

    @Override
    public String toString() {
        return (isIpv4Mapped() ? "::ffff:" : "") + address().getHostAddress();
    }
}
