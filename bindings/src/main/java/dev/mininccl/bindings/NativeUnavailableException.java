package dev.mininccl.bindings;

/**
 * A native function was called that this process does not have: the library is absent, too old, or the JVM denies native access.
 * The message says which, and what to install or which flag to add.
 */
public final class NativeUnavailableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what is missing, and what to do
     */
    public NativeUnavailableException(String message) {
        super(message);
    }
}
