package dev.mininccl.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An operation under way. It ends by itself: with success, or with the {@link NcclException} that its communicator's
 * deadline or abort gives it. Its buffers must stay as they are, and their arenas open, until then. Cancelling it has no
 * effect on the operation.
 */
public final class Work extends CompletableFuture<Void> {

    Work() {}

    /**
     * Waits until the operation has ended.
     *
     * @throws NcclException if it failed
     */
    public void await() {
        try {
            join();
        } catch (CompletionException e) {
            throw unwrap(e);
        }
    }

    /**
     * Waits for the operation, but not for ever.
     *
     * @param limit how long at most
     * @return true if the operation has ended well, false if it is still under way
     * @throws NcclException if it failed
     * @throws InterruptedException if the calling thread was interrupted
     */
    public boolean await(Duration limit) throws InterruptedException {
        try {
            get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw unwrap(e);
        }
    }

    /** Not supported in effect: an operation that other ranks take part in cannot be taken back. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    private RuntimeException unwrap(Exception e) {
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new CommunicatorException(ResultCode.INTERNAL_ERROR, -1, -1, e.getMessage(), e);
    }
}
