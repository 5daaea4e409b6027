package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Pinned host memory that every device of the process can address. */
@SuppressWarnings("restricted")
public final class CudaHostMemory {
    private static final MethodHandle ALLOCATE = Calls.call("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FREE = Calls.call("cuMemFreeHost", JAVA_LONG);
    private static final MethodHandle REGISTER = Calls.call("cuMemHostRegister_v2", JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle UNREGISTER = Calls.call("cuMemHostUnregister", JAVA_LONG);
    private static final MethodHandle DEVICE_ADDRESS =
            Calls.call("cuMemHostGetDevicePointer_v2", ADDRESS, JAVA_LONG, JAVA_INT);

    private CudaHostMemory() {}

    /**
     * Allocates pinned memory of zeros.
     *
     * @param bytes the size, more than 0
     * @return the memory; its address is to be given to {@link #free}
     * @throws CudaException if it cannot be pinned
     */
    public static MemorySegment allocate(long bytes) {
        int flags = CudaConstants.CU_MEMHOSTALLOC_PORTABLE() | CudaConstants.CU_MEMHOSTALLOC_DEVICEMAP();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) ALLOCATE.invokeExact(slot, bytes, flags), "cuMemHostAlloc");
            MemorySegment memory =
                    MemorySegment.ofAddress(slot.get(JAVA_LONG, 0)).reinterpret(bytes);
            return memory.fill((byte) 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Frees what {@link #allocate} gave.
     *
     * @param address its address
     * @throws CudaException if it was not allocated so
     */
    public static void free(long address) {
        try {
            Calls.check((int) FREE.invokeExact(address), "cuMemFreeHost");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Pins memory that exists, such as a mapped file, for all devices of the process.
     *
     * @param address page-aligned address
     * @param bytes the size
     * @throws CudaException if it cannot be pinned: often a memlock limit, or a file system without stable pages
     */
    public static void register(long address, long bytes) {
        int flags = CudaConstants.CU_MEMHOSTREGISTER_PORTABLE() | CudaConstants.CU_MEMHOSTREGISTER_DEVICEMAP();
        try {
            Calls.check((int) REGISTER.invokeExact(address, bytes, flags), "cuMemHostRegister");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Unpins what {@link #register} pinned. The memory itself stays.
     *
     * @param address its address
     * @throws CudaException if it was not pinned so
     */
    public static void unregister(long address) {
        try {
            Calls.check((int) UNREGISTER.invokeExact(address), "cuMemHostUnregister");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * The address at which the current context's device sees pinned memory.
     *
     * @param address host address, allocated or registered here
     * @return device address, often the same
     * @throws CudaException if it is not pinned
     */
    public static long deviceAddress(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            Calls.check((int) DEVICE_ADDRESS.invokeExact(slot, address, 0), "cuMemHostGetDevicePointer");
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
