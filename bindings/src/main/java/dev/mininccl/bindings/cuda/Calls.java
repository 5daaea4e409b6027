package dev.mininccl.bindings.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;

/** What every wrapper of a driver call shares. */
final class Calls {
    private static final NativeLibrary CUDA = NativeLibraries.cuda();

    private Calls() {}

    /** A handle for a function that returns a {@code CUresult}. */
    static MethodHandle call(String function, MemoryLayout... arguments) {
        return handle(function, FunctionDescriptor.of(JAVA_INT, arguments));
    }

    static MethodHandle handle(String function, FunctionDescriptor descriptor) {
        return CUDA.handle(function, descriptor);
    }

    static boolean has(String function) {
        return CUDA.has(function);
    }

    static void check(int result, String call) {
        if (result != 0) {
            throw new CudaException(call, result, "");
        }
    }

    /** Turns what {@code invokeExact} declares, but native code never throws, into something unchecked. */
    static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException exception ? exception : new IllegalStateException(thrown);
    }
}
