package dev.mininccl.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Asks the system's loader why it refuses a file; the JDK's lookup says only that it does. */
@SuppressWarnings("restricted")
final class DynamicLoader {
    private static final int RTLD_LAZY = 1;
    private static final long LONGEST_TEXT = 4096;

    private DynamicLoader() {}

    static String error(String file) {
        NativeLibrary libc = NativeLibraries.libc();
        if (!libc.has("dlopen") || !libc.has("dlerror")) {
            return file + ": cannot open shared object file";
        }
        MethodHandle dlopen = libc.handle("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
        MethodHandle dlerror = libc.handle("dlerror", FunctionDescriptor.of(ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment library = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(file), RTLD_LAZY);
            MemorySegment text = (MemorySegment) dlerror.invokeExact();
            boolean silent = library.address() != 0 || text.address() == 0;
            return silent ? file + ": refused" : text.reinterpret(LONGEST_TEXT).getString(0);
        } catch (Throwable e) {
            return file + ": " + e.getMessage();
        }
    }
}
