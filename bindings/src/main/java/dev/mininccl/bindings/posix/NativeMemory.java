package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.mininccl.bindings.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Memory by absolute address, for hot paths and for memory that Java did not allocate: mappings shared with other processes,
 * rings that a device writes, structures inside a C library.
 *
 * <p><b>There are no checks.</b> A wrong address reads or corrupts foreign data or ends the process with SIGSEGV, memory may be
 * unmapped while it is accessed, and the collector does not know that an address is in use. Whoever passes addresses here owns
 * the memory, has checked bounds where the addresses were made, and keeps the owner reachable. Code off the hot path uses bounded
 * segments.
 *
 * <p>Values are in native byte order (little-endian). Accesses named {@code Acquire}, {@code Release} or {@code getAndAdd}
 * need addresses aligned to their size and are atomic; the others take any alignment and order nothing. Memory that another
 * thread, process or device writes must be polled with an acquire access: a plain one may be hoisted out of the loop.
 */
@SuppressWarnings("restricted")
public final class NativeMemory {
    /**
     * All of the process's address space as one segment; offset and address are the same. A single constant segment lets the
     * compiler drop all checks but one comparison, which halves the cost of an access. Zero bytes long if the JVM denies native
     * access, so that every use throws.
     */
    public static final MemorySegment ALL = addressSpace();

    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final VarHandle INT = JAVA_INT.varHandle();

    private NativeMemory() {}

    private static MemorySegment addressSpace() {
        return NativeAccess.denied() ? MemorySegment.NULL : MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /**
     * Reads 1 byte.
     *
     * @param address absolute address
     * @return the value
     */
    public static byte getByte(long address) {
        return ALL.get(JAVA_BYTE, address);
    }

    /**
     * Writes 1 byte.
     *
     * @param address absolute address
     * @param value the value
     */
    public static void putByte(long address, byte value) {
        ALL.set(JAVA_BYTE, address, value);
    }

    /**
     * Reads 2 bytes.
     *
     * @param address absolute address of any alignment
     * @return the value
     */
    public static short getShort(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address);
    }

    /**
     * Writes 2 bytes.
     *
     * @param address absolute address of any alignment
     * @param value the value
     */
    public static void putShort(long address, short value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, value);
    }

    /**
     * Reads 4 bytes.
     *
     * @param address absolute address of any alignment
     * @return the value
     */
    public static int getInt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    /**
     * Writes 4 bytes.
     *
     * @param address absolute address of any alignment
     * @param value the value
     */
    public static void putInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    /**
     * Reads a 4-byte float.
     *
     * @param address absolute address of any alignment
     * @return the value
     */
    public static float getFloat(long address) {
        return ALL.get(JAVA_FLOAT_UNALIGNED, address);
    }

    /**
     * Writes a 4-byte float.
     *
     * @param address absolute address of any alignment
     * @param value the value
     */
    public static void putFloat(long address, float value) {
        ALL.set(JAVA_FLOAT_UNALIGNED, address, value);
    }

    /**
     * Reads 8 bytes.
     *
     * @param address absolute address of any alignment
     * @return the value
     */
    public static long getLong(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    /**
     * Writes 8 bytes.
     *
     * @param address absolute address of any alignment
     * @param value the value
     */
    public static void putLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /**
     * Reads 4 bytes; later accesses stay behind it.
     *
     * @param address absolute address, 4-byte aligned
     * @return the value
     */
    public static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, address);
    }

    /**
     * Writes 4 bytes; earlier accesses stay before it.
     *
     * @param address absolute address, 4-byte aligned
     * @param value the value
     */
    public static void putIntRelease(long address, int value) {
        INT.setRelease(ALL, address, value);
    }

    /**
     * Reads 8 bytes; later accesses stay behind it.
     *
     * @param address absolute address, 8-byte aligned
     * @return the value
     */
    public static long getLongAcquire(long address) {
        return (long) LONG.getAcquire(ALL, address);
    }

    /**
     * Writes 8 bytes; earlier accesses stay before it.
     *
     * @param address absolute address, 8-byte aligned
     * @param value the value
     */
    public static void putLongRelease(long address, long value) {
        LONG.setRelease(ALL, address, value);
    }

    /**
     * Reads 8 bytes in one total order with all other volatile accesses.
     *
     * @param address absolute address, 8-byte aligned
     * @return the value
     */
    public static long getLongVolatile(long address) {
        return (long) LONG.getVolatile(ALL, address);
    }

    /**
     * Writes 8 bytes in one total order with all other volatile accesses.
     *
     * @param address absolute address, 8-byte aligned
     * @param value the value
     */
    public static void putLongVolatile(long address, long value) {
        LONG.setVolatile(ALL, address, value);
    }

    /**
     * Adds to 8 bytes atomically, with volatile order.
     *
     * @param address absolute address, 8-byte aligned
     * @param delta what to add
     * @return the value before
     */
    public static long getAndAddLong(long address, long delta) {
        return (long) LONG.getAndAdd(ALL, address, delta);
    }

    /**
     * Replaces 8 bytes atomically if they hold what is expected, with volatile order.
     *
     * @param address absolute address, 8-byte aligned
     * @param expected the value that must be there
     * @param value the new value
     * @return true if it was replaced
     */
    public static boolean compareAndSetLong(long address, long expected, long value) {
        return LONG.compareAndSet(ALL, address, expected, value);
    }

    /**
     * Replaces 4 bytes atomically if they hold what is expected, with volatile order.
     *
     * @param address absolute address, 4-byte aligned
     * @param expected the value that must be there
     * @param value the new value
     * @return true if it was replaced
     */
    public static boolean compareAndSetInt(long address, int expected, int value) {
        return INT.compareAndSet(ALL, address, expected, value);
    }

    /**
     * Copies bytes; the ranges may overlap.
     *
     * @param source absolute address to read from
     * @param target absolute address to write to
     * @param bytes how many
     */
    public static void copy(long source, long target, long bytes) {
        MemorySegment.copy(ALL, source, ALL, target, bytes);
    }

    /**
     * Sets bytes to one value.
     *
     * @param address absolute address of the first
     * @param bytes how many
     * @param value the value of each
     */
    public static void fill(long address, long bytes, byte value) {
        ALL.asSlice(address, bytes).fill(value);
    }

    /**
     * A bounded view of memory whose size the caller knows.
     *
     * @param address absolute address of the first byte
     * @param bytes its size
     * @return a segment in the global scope: it does not notice when the memory goes away
     */
    public static MemorySegment segment(long address, long bytes) {
        return ALL.asSlice(address, bytes);
    }

    /**
     * As {@link #segment(long, long)}, usable only while an arena is open. The arena does not free the memory.
     *
     * @param address absolute address
     * @param bytes its true size
     * @param arena bounds the segment's life
     * @return the bounded segment
     */
    public static MemorySegment segment(long address, long bytes, Arena arena) {
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
    }
}
