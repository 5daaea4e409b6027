package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.gen.CUipcMemHandle_st;
import dev.mininccl.bindings.cuda.gen.CudaConstants;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Device memory of another process of this machine. A handle names a whole allocation: a buffer inside it is base and offset
 * ({@link CudaMemory#range}). A process cannot open its own handles, nor one handle twice in one context on old drivers.
 */
public final class CudaIpc {
    /** The size of a handle. */
    public static final int HANDLE_BYTES = (int) CUipcMemHandle_st.sizeof();

    private static final MethodHandle GET = Calls.call("cuIpcGetMemHandle", ADDRESS, JAVA_LONG);
    private static final MethodHandle OPEN =
            Calls.call("cuIpcOpenMemHandle_v2", ADDRESS, CUipcMemHandle_st.layout(), JAVA_INT);
    private static final MethodHandle CLOSE = Calls.call("cuIpcCloseMemHandle", JAVA_LONG);

    private CudaIpc() {}

    /**
     * Makes a handle for an allocation of the current context.
     *
     * @param base as returned by {@link CudaMemory#allocate}
     * @return {@link #HANDLE_BYTES} bytes for the other process
     * @throws CudaException if this memory cannot be shared
     */
    public static byte[] export(long base) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(CUipcMemHandle_st.layout());
            Calls.check((int) GET.invokeExact(handle, base), "cuIpcGetMemHandle");
            return handle.toArray(JAVA_BYTE);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Maps another process's allocation into the current context, and enables peer access where it is another device's.
     *
     * @param handle what the other process's {@link #export} gave
     * @return the allocation's base address here
     * @throws CudaException if it cannot be mapped: no peer access, or the other process lives in another container
     */
    public static long open(byte[] handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(JAVA_LONG);
            MemorySegment value = arena.allocate(CUipcMemHandle_st.layout()).copyFrom(MemorySegment.ofArray(handle));
            int flags = CudaConstants.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS();
            Calls.check((int) OPEN.invokeExact(slot, value, flags), "cuIpcOpenMemHandle");
            return slot.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * Unmaps what {@link #open} mapped.
     *
     * @param base its base address here
     * @throws CudaException if it was not mapped so
     */
    public static void close(long base) {
        try {
            Calls.check((int) CLOSE.invokeExact(base), "cuIpcCloseMemHandle");
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }
}
