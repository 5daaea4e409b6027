package dev.mininccl.bench.peers;

/** Makes of what a method handle may throw what a method may throw. */
final class Unchecked {
    private Unchecked() {}

    /** An exception to be thrown; errors are thrown at once. */
    static RuntimeException of(Throwable e) {
        return switch (e) {
            case RuntimeException runtime -> runtime;
            case Error error -> throw error;
            default -> new IllegalStateException(e);
        };
    }
}
