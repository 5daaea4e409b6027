package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Asks the driver what an address is, in one call and without allocation, for checks on hot paths. Not for use by several threads at
 * a time.
 */
public final class PointerQuery {
    private static final MethodHandle ATTRIBUTES =
            Calls.call("cuPointerGetAttributes", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final int ANSWERS = 4;
    private static final int TYPE = 0;
    private static final int DEVICE = 1;
    private static final int START = 2;
    private static final int BYTES = 3;

    private final MemorySegment attributes;
    private final MemorySegment places;
    private final MemorySegment answers;

    /**
     * Lays out the question and the room for its answers.
     *
     * @param arena owns the memory
     */
    public PointerQuery(Arena arena) {
        attributes = arena.allocate(JAVA_INT, ANSWERS);
        places = arena.allocate(ADDRESS, ANSWERS);
        answers = arena.allocate(JAVA_LONG, ANSWERS);
        attributes.setAtIndex(JAVA_INT, TYPE, CudaConstants.CU_POINTER_ATTRIBUTE_MEMORY_TYPE());
        attributes.setAtIndex(JAVA_INT, DEVICE, CudaConstants.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL());
        attributes.setAtIndex(JAVA_INT, START, CudaConstants.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR());
        attributes.setAtIndex(JAVA_INT, BYTES, CudaConstants.CU_POINTER_ATTRIBUTE_RANGE_SIZE());
        for (int i = 0; i < ANSWERS; i++) {
            places.setAtIndex(ADDRESS, i, answers.asSlice(8L * i, 8));
        }
    }

    /**
     * Asks about an address; the other methods then give the answers.
     *
     * @param address any address
     * @return false if the driver does not know it: ordinary host memory, freed memory, or no memory
     * @throws CudaException if the driver fails
     */
    public boolean ask(long address) {
        answers.fill((byte) 0);
        try {
            int result = (int) ATTRIBUTES.invokeExact(ANSWERS, attributes.address(), places.address(), address);
            Calls.check(result, "cuPointerGetAttributes");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
        return answers.getAtIndex(JAVA_INT, 2L * TYPE) != 0;
    }

    /**
     * The device that has the memory, or to whose context it is pinned.
     *
     * @return its ordinal
     */
    public int device() {
        return answers.getAtIndex(JAVA_INT, 2L * DEVICE);
    }

    /**
     * Where the allocation begins.
     *
     * @return its first address
     */
    public long start() {
        return answers.getAtIndex(JAVA_LONG, START);
    }

    /**
     * The size of the allocation.
     *
     * @return bytes
     */
    public long bytes() {
        return answers.getAtIndex(JAVA_LONG, BYTES);
    }
}
