package dev.mininccl.core.host.reduce;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.Constructor;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes one class per kernel out of a template, a reducer whose static constants derive from its {@link Kernel}: the same
 * class file is defined once more, as a hidden class, for each kernel. So C2 sees type and operation as constants, without
 * which Vector API code does not become vector instructions; it compiles each kernel alone; and no kernel's profile spoils
 * another's.
 *
 * <p>A template is never used itself. It has one constructor and neither lambdas nor nested classes.
 */
final class Specialized {

    private record Key(Class<?> template, Kernel kernel) {}

    private static final ConcurrentHashMap<Key, MethodHandle> CONSTRUCTORS = new ConcurrentHashMap<>();

    private Specialized() {}

    /** A new instance of the class made for a kernel; the class is made at the kernel's first use. */
    static Reducer reducer(Class<? extends Reducer> template, Kernel kernel, Object... arguments) {
        MethodHandle constructor = CONSTRUCTORS.computeIfAbsent(new Key(template, kernel), Specialized::define);
        try {
            return (Reducer) constructor.invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("constructors of reducers throw no checked exceptions", e);
        }
    }

    /** The kernel that a template's copy, whose lookup this is, was made for. */
    static Kernel kernel(Lookup lookup) {
        try {
            return MethodHandles.classData(lookup, ConstantDescs.DEFAULT_NAME, Kernel.class);
        } catch (IllegalAccessException e) {
            throw new AssertionError("a lookup of the caller's own class has full access", e);
        }
    }

    private static MethodHandle define(Key key) {
        try (InputStream in = key.template.getResourceAsStream(key.template.getSimpleName() + ".class")) {
            Lookup copy = MethodHandles.lookup().defineHiddenClassWithClassData(in.readAllBytes(), key.kernel, true);
            Constructor<?> constructor = copy.lookupClass().getDeclaredConstructors()[0];
            return copy.unreflectConstructor(constructor);
        } catch (IOException e) {
            throw new UncheckedIOException("reading the class file of " + key.template, e);
        } catch (IllegalAccessException e) {
            throw new AssertionError("a template lies in this package", e);
        }
    }
}
