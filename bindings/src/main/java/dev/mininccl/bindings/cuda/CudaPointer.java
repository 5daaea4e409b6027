package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What the driver knows about an address.
 *
 * @param memory what kind of memory it is
 * @param device the ordinal of the device that has it, or to whose context it is pinned; -1 for {@link Memory#UNKNOWN}
 * @param bufferId a number that no other allocation of the process ever has, or 0
 */
public record CudaPointer(Memory memory, int device, long bufferId) {
    private static final MethodHandle ATTRIBUTE = Calls.call("cuPointerGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG);

    /** Kinds of memory. */
    public enum Memory {
        /** Memory of a device. */
        DEVICE,
        /** Pinned host memory. */
        PINNED,
        /** Memory that moves between host and device. */
        MANAGED,
        /** Nothing the driver knows: ordinary host memory, freed memory, or no memory. */
        UNKNOWN
    }

    /**
     * Asks the driver.
     *
     * @param address any address
     * @return what it knows
     * @throws CudaException if the driver refuses for another reason than not knowing the address
     */
    public static CudaPointer of(long address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_LONG);
            if (!read(value, CudaConstants.CU_POINTER_ATTRIBUTE_MEMORY_TYPE(), address)) {
                return new CudaPointer(Memory.UNKNOWN, -1, 0);
            }
            int type = value.get(JAVA_INT, 0);
            boolean managed = read(value, CudaConstants.CU_POINTER_ATTRIBUTE_IS_MANAGED(), address)
                    && value.get(JAVA_INT, 0) != 0;
            boolean placed = read(value, CudaConstants.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL(), address);
            int device = placed ? value.get(JAVA_INT, 0) : -1;
            boolean numbered = read(value, CudaConstants.CU_POINTER_ATTRIBUTE_BUFFER_ID(), address);
            return new CudaPointer(kind(type, managed), device, numbered ? value.get(JAVA_LONG, 0) : 0);
        }
    }

    private static Memory kind(int type, boolean managed) {
        if (managed) {
            return Memory.MANAGED;
        }
        return type == CudaConstants.CU_MEMORYTYPE_DEVICE() ? Memory.DEVICE : Memory.PINNED;
    }

    private static boolean read(MemorySegment value, int attribute, long address) {
        value.fill((byte) 0);
        try {
            int result = (int) ATTRIBUTE.invokeExact(value, attribute, address);
            if (result == CudaConstants.CUDA_ERROR_INVALID_VALUE()) {
                return false;
            }
            Calls.check(result, "cuPointerGetAttribute");
            return true;
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
