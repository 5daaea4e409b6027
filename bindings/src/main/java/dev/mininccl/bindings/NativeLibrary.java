package dev.mininccl.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One shared library: present, or absent with a reason a person can act on.
 *
 * <p>Asking an absent library for a function is no error. The handle it gives throws {@link NativeUnavailableException} when it is
 * called, so classes that keep handles in static fields always load.
 */
@SuppressWarnings("restricted")
public final class NativeLibrary {
    private static final SymbolLookup NO_SYMBOLS = name -> Optional.empty();

    private final String name;
    private final SymbolLookup symbols;
    private final Optional<String> reason;

    private NativeLibrary(String name, SymbolLookup symbols, Optional<String> reason) {
        this.name = name;
        this.symbols = symbols;
        this.reason = reason;
    }

    /** Opens the first of {@code files} that the dynamic loader finds and keeps it open for the life of the process. */
    static NativeLibrary open(String name, List<String> files, String remedy) {
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            return absent(name, obstacle.get());
        }
        for (String file : files) {
            try {
                return new NativeLibrary(name, SymbolLookup.libraryLookup(file, Arena.global()), Optional.empty());
            } catch (IllegalArgumentException _) {
                // Not this file; the reason is read from the loader below.
            }
        }
        return absent(name, DynamicLoader.error(files.getFirst()) + "; " + remedy);
    }

    /** The C library this process already runs on. */
    static NativeLibrary libc() {
        String name = "libc";
        return obstacle()
                .map(reason -> absent(name, reason))
                .orElseGet(() -> new NativeLibrary(name, Linker.nativeLinker().defaultLookup(), Optional.empty()));
    }

    /** Why this process can call no library at all. */
    private static Optional<String> obstacle() {
        if (!Platform.supported()) {
            return Optional.of(Platform.reason());
        }
        return NativeAccess.denied() ? NativeAccess.advice() : Optional.empty();
    }

    static NativeLibrary absent(String name, String reason) {
        return new NativeLibrary(name, NO_SYMBOLS, Optional.of(reason));
    }

    /**
     * The library's file name.
     *
     * @return for example {@code libcuda.so.1}
     */
    public String name() {
        return name;
    }

    /**
     * Whether the library was found and may be called.
     *
     * @return false if it is absent for {@link #reason()}
     */
    public boolean present() {
        return reason.isEmpty();
    }

    /**
     * Why the library is absent.
     *
     * @return the file tried and what to install, or the flag to add; empty if the library is present
     */
    public Optional<String> reason() {
        return reason;
    }

    /**
     * Whether the library has a function. Older releases lack the newer ones.
     *
     * @param function the symbol
     * @return false also if the library is absent
     */
    public boolean has(String function) {
        return symbols.find(function).isPresent();
    }

    /**
     * The address of a function.
     *
     * @param function the symbol
     * @return the function pointer
     * @throws NativeUnavailableException if the library is absent or lacks the function
     */
    public MemorySegment address(String function) {
        return symbols.find(function).orElseThrow(() -> new NativeUnavailableException(missing(function)));
    }

    /**
     * A handle that calls a function. Keep it in a {@code private static final} field: other handles are not inlined.
     *
     * @param function the symbol
     * @param descriptor its C signature
     * @param options linker options, but not {@code captureCallState}: see {@link #errnoHandle}
     * @return the handle; if the function is missing, one that throws {@link NativeUnavailableException} when called
     */
    public MethodHandle handle(String function, FunctionDescriptor descriptor, Linker.Option... options) {
        return link(function, descriptor, descriptor.toMethodType(), options);
    }

    /**
     * A handle that calls a function and stores {@code errno} into a segment given as additional first argument.
     *
     * @param function the symbol
     * @param descriptor its C signature
     * @param options further linker options
     * @return the handle; if the function is missing, one that throws {@link NativeUnavailableException} when called
     */
    public MethodHandle errnoHandle(String function, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        MethodType type = descriptor.toMethodType().insertParameterTypes(0, MemorySegment.class);
        return link(function, descriptor, type, all);
    }

    /**
     * A handle that calls whatever function pointer it gets as additional first argument; for tables of pointers.
     *
     * @param descriptor the C signature
     * @param options linker options, but not {@code captureCallState}
     * @return the handle; if the JVM denies native access, one that throws {@link NativeUnavailableException} when called
     */
    public static MethodHandle pointerHandle(FunctionDescriptor descriptor, Linker.Option... options) {
        if (NativeAccess.denied()) {
            MethodType type = descriptor.toMethodType().insertParameterTypes(0, MemorySegment.class);
            return MissingFunction.handle(type, NativeAccess.advice().orElseThrow());
        }
        return Linker.nativeLinker().downcallHandle(descriptor, options);
    }

    private MethodHandle link(
            String function, FunctionDescriptor descriptor, MethodType type, Linker.Option... options) {
        Optional<MemorySegment> symbol = symbols.find(function);
        if (symbol.isEmpty()) {
            return MissingFunction.handle(type, missing(function));
        }
        return Linker.nativeLinker().downcallHandle(symbol.get(), descriptor, options);
    }

    private String missing(String function) {
        return reason.map(text -> function + " cannot be called: " + name + " is absent: " + text)
                .orElse(name + " has no function " + function + "; a newer release of it is needed");
    }

    @Override
    public String toString() {
        return reason.map(text -> name + " absent: " + text).orElse(name + " present");
    }
}
