package dev.mininccl.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * An operation under way. It ends by itself: with success, or with the {@link NcclException} that its communicator's
 * deadline or abort gives it. Until then its buffers must stay as they are, and their arenas open; once {@link #isDone} they
 * are the caller's again. That is why nothing but the operation ends it: cancelling or completing it by hand has no effect, and a
 * limit ({@link #orTimeout}, {@link #await(Duration)}) ends the waiting alone.
 *
 * <p>Dependent actions ({@code thenRun} and the like) run on the communicator's thread for asynchronous operations, or on the
 * caller's if the operation has ended already. They hold up the operations behind them: keep them short, or give them an executor
 * ({@code thenRunAsync}). Blocking calls and {@link #await()} run there what stands before them; {@link #join()} and {@link #get()} of
 * an operation that has not ended would wait for themselves.
 */
public final class Work extends CompletableFuture<Void> {

    private final WorkQueue queue;

    Work(WorkQueue queue) {
        this.queue = queue;
    }

    /** The operation has ended; {@code null} if well. */
    void ended(Throwable thrown) {
        if (thrown == null) {
            super.complete(null);
        } else {
            super.completeExceptionally(thrown);
        }
    }

    /**
     * Waits until the operation has ended. An interrupt does not end the wait; it is kept for later.
     *
     * @throws NcclException if it failed
     */
    public void await() {
        queue.help(this);
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
        queue.help(this);
        try {
            get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw unwrap(e);
        }
    }

    /** Without effect: an operation that other ranks take part in cannot be taken back. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return false;
    }

    /** Without effect: only the operation ends it. */
    @Override
    public boolean complete(Void value) {
        return false;
    }

    /** Without effect: only the operation ends it. */
    @Override
    public boolean completeExceptionally(Throwable cause) {
        return false;
    }

    /**
     * A future that ends with the operation, or with a {@link TimeoutException} before. The operation goes on.
     *
     * @return another future than this
     */
    @Override
    public CompletableFuture<Void> orTimeout(long timeout, TimeUnit unit) {
        return copy().orTimeout(timeout, unit);
    }

    /**
     * A future that ends with the operation, or well after a time. The operation goes on.
     *
     * @return another future than this
     */
    @Override
    public CompletableFuture<Void> completeOnTimeout(Void value, long timeout, TimeUnit unit) {
        return copy().completeOnTimeout(null, timeout, unit);
    }

    /** Not supported: only the operation ends it. */
    @Override
    public CompletableFuture<Void> completeAsync(Supplier<? extends Void> supplier, Executor executor) {
        throw new UnsupportedOperationException("only the operation ends its work");
    }

    /** Not supported: only the operation ends it. */
    @Override
    public void obtrudeValue(Void value) {
        throw new UnsupportedOperationException("only the operation ends its work");
    }

    /** Not supported: only the operation ends it. */
    @Override
    public void obtrudeException(Throwable cause) {
        throw new UnsupportedOperationException("only the operation ends its work");
    }

    private static RuntimeException unwrap(Exception e) {
        return e.getCause() instanceof RuntimeException cause
                ? cause
                : new CommunicatorException(ResultCode.INTERNAL_ERROR, -1, -1, e.getMessage(), e);
    }
}
