package dev.mininccl.bindings;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Stands in for a function that cannot be called: it has the function's type and throws. */
final class MissingFunction {
    private static final MethodHandle NEW_EXCEPTION = constructor();

    private MissingFunction() {}

    static MethodHandle handle(MethodType type, String message) {
        MethodHandle thrower = MethodHandles.throwException(type.returnType(), NativeUnavailableException.class);
        MethodHandle failure =
                MethodHandles.filterArguments(thrower, 0, NEW_EXCEPTION).bindTo(message);
        return MethodHandles.dropArguments(failure, 0, type.parameterList());
    }

    private static MethodHandle constructor() {
        try {
            MethodType ofText = MethodType.methodType(void.class, String.class);
            return MethodHandles.lookup().findConstructor(NativeUnavailableException.class, ofText);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("NativeUnavailableException(String)", e);
        }
    }
}
