package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory of the current context's device, by address, and copies. Asynchronous calls take a stream's handle and allocate nothing;
 * host memory that they use must be pinned to be asynchronous in truth, and must stay alive until they are done.
 */
public final class CudaMemory {
    private static final MethodHandle ALLOCATE = Calls.call("cuMemAlloc_v2", ADDRESS, JAVA_LONG);
    private static final MethodHandle FREE = Calls.call("cuMemFree_v2", JAVA_LONG);
    private static final MethodHandle INFO = Calls.call("cuMemGetInfo_v2", ADDRESS, ADDRESS);
    private static final MethodHandle RANGE = Calls.call("cuMemGetAddressRange_v2", ADDRESS, ADDRESS, JAVA_LONG);
    private static final MethodHandle TO_DEVICE = Calls.call("cuMemcpyHtoD_v2", JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle TO_HOST = Calls.call("cuMemcpyDtoH_v2", ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle COPY_ASYNC =
            Calls.call("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SET = Calls.call("cuMemsetD8_v2", JAVA_LONG, JAVA_BYTE, JAVA_LONG);
    private static final MethodHandle SET_ASYNC =
            Calls.call("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle DMA_BUF =
            Calls.call("cuMemGetHandleForAddressRange", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final int DMA_BUF_FD = 1;

    private CudaMemory() {}

    /**
     * A range of memory that was allocated as one.
     *
     * @param base its first address
     * @param bytes its size
     */
    public record Range(long base, long bytes) {}

    /**
     * What a device has.
     *
     * @param free bytes that can be allocated
     * @param total bytes altogether
     */
    public record Space(long free, long total) {}

    /**
     * Allocates memory; its content is undefined.
     *
     * @param bytes the size, more than 0
     * @return the address, aligned to 256 bytes
     * @throws CudaException if there is not enough
     */
    public static long allocate(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            int result = (int) ALLOCATE.invokeExact(slot, bytes);
            if (result != 0) {
                throw new CudaException("cuMemAlloc", result, bytes + " bytes");
            }
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Frees memory, after waiting for all work of the device that could use it.
     *
     * @param address as returned by {@link #allocate}
     * @throws CudaException if it was not
     */
    public static void free(long address) {
        try {
            Calls.check((int) FREE.invokeExact(address), "cuMemFree");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * How much memory the device has, and has left.
     *
     * @return the figures
     * @throws CudaException if the driver refuses
     */
    public static Space space() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment free = arena.allocate(JAVA_LONG);
            MemorySegment total = arena.allocate(JAVA_LONG);
            Calls.check((int) INFO.invokeExact(free, total), "cuMemGetInfo");
            return new Space(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The allocation that an address lies in.
     *
     * @param address any device address
     * @return the allocation
     * @throws CudaException if no allocation has it
     */
    public static Range range(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment base = arena.allocate(JAVA_LONG);
            MemorySegment bytes = arena.allocate(JAVA_LONG);
            Calls.check((int) RANGE.invokeExact(base, bytes, address), "cuMemGetAddressRange");
            return new Range(base.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, 0));
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Copies to the device, and waits.
     *
     * @param to device address
     * @param from native memory, all of which is copied
     * @throws CudaException if the copy failed
     */
    public static void toDevice(long to, MemorySegment from) {
        try {
            Calls.check((int) TO_DEVICE.invokeExact(to, from, from.byteSize()), "cuMemcpyHtoD");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Copies from the device, and waits.
     *
     * @param to native memory, all of which is filled
     * @param from device address
     * @throws CudaException if the copy failed
     */
    public static void toHost(MemorySegment to, long from) {
        try {
            Calls.check((int) TO_HOST.invokeExact(to, from, to.byteSize()), "cuMemcpyDtoH");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Enqueues a copy between any two addresses of the unified address space.
     *
     * @param to device or pinned host address
     * @param from device or pinned host address
     * @param bytes how many
     * @param stream where it is enqueued
     * @throws CudaException if it cannot be
     */
    public static void copyAsync(long to, long from, long bytes, long stream) {
        try {
            Calls.check((int) COPY_ASYNC.invokeExact(to, from, bytes, stream), "cuMemcpyAsync");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Fills memory with one byte.
     *
     * @param address device address
     * @param value the byte
     * @param bytes how many
     * @throws CudaException if it cannot be
     */
    public static void fill(long address, byte value, long bytes) {
        try {
            Calls.check((int) SET.invokeExact(address, value, bytes), "cuMemsetD8");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Enqueues filling memory with one byte.
     *
     * @param address device address
     * @param value the byte
     * @param bytes how many
     * @param stream where it is enqueued
     * @throws CudaException if it cannot be
     */
    public static void fillAsync(long address, byte value, long bytes, long stream) {
        try {
            Calls.check((int) SET_ASYNC.invokeExact(address, value, bytes, stream), "cuMemsetD8Async");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Whether this driver can export memory as a DMA-BUF at all (CUDA 11.7).
     *
     * @return false if {@link #exportDmaBuf} would fail for want of the function
     */
    public static boolean canExportDmaBuf() {
        return Calls.has("cuMemGetHandleForAddressRange");
    }

    /**
     * Exports device memory for another device, such as a network adapter, to map.
     *
     * @param address a device address, aligned to the host's page size
     * @param bytes a multiple of the host's page size
     * @return a file descriptor, to be closed by the caller
     * @throws CudaException if the platform cannot
     */
    public static int exportDmaBuf(long address, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fd = arena.allocate(JAVA_INT);
            int result = (int) DMA_BUF.invokeExact(fd, address, bytes, DMA_BUF_FD, 0L);
            Calls.check(result, "cuMemGetHandleForAddressRange");
            return fd.get(JAVA_INT, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
