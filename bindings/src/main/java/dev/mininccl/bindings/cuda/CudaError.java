package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The driver's own names and texts for its results. */
@SuppressWarnings("restricted")
final class CudaError {
    private static final long LONGEST_TEXT = 1024;
    private static final FunctionDescriptor TEXT_OF = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle NAME = Calls.handle("cuGetErrorName", TEXT_OF);
    private static final MethodHandle TEXT = Calls.handle("cuGetErrorString", TEXT_OF);

    private CudaError() {}

    static String name(int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(ADDRESS);
            return (int) NAME.invokeExact(code, slot) == 0 ? string(slot) : "CUresult";
        } catch (NativeUnavailableException e) {
            return "CUresult";
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    static String text(int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment slot = arena.allocate(ADDRESS);
            return (int) TEXT.invokeExact(code, slot) == 0 ? string(slot) : "a result this driver does not know";
        } catch (NativeUnavailableException e) {
            return "no more is known";
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    private static String string(MemorySegment slot) {
        return slot.get(ADDRESS, 0).reinterpret(LONGEST_TEXT).getString(0);
    }
}
