package dev.mininccl.bindings.ibverbs;

import java.util.concurrent.atomic.AtomicBoolean;

/** A native object of libibverbs with one owner, who closes it once. */
public abstract sealed class VerbsHandle implements AutoCloseable
        permits CompletionChannel, CompletionQueue, Context, MemoryRegion, ProtectionDomain, QueuePair {
    private final long address;
    private final String destructor;
    private final AtomicBoolean closed = new AtomicBoolean();

    VerbsHandle(long address, String destructor) {
        this.address = address;
        this.destructor = destructor;
    }

    /** Calls the destructor and returns its error number. */
    abstract int destroy();

    /**
     * The address of the C structure; not to be followed after {@link #close}.
     *
     * @return the pointer
     */
    public final long address() {
        return address;
    }

    final boolean isClosed() {
        return closed.getPlain();
    }

    /**
     * Destroys the object. Later calls do nothing.
     *
     * @throws VerbsException if the library refuses, for example with {@code EBUSY} while something made from it is open; then it
     *     may be closed again later
     */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            int error = destroy();
            if (error != 0) {
                closed.set(false);
                Dialects.errorValue(error, destructor);
            }
        }
    }
}
