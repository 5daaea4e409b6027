package dev.mininccl.core;

import dev.mininccl.core.spi.Deadline;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Runs asynchronous operations one after the other on a thread of its own, started with the first. */
final class WorkQueue {

    /** An operation; the one without an action ends the thread. */
    private record Task(Work work, Runnable action) {}

    private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
    private final AtomicLong submitted = new AtomicLong();
    private final String name;
    private final AtomicLong completed = new AtomicLong();
    private Thread thread;
    private boolean closed;

    WorkQueue(String name) {
        this.name = name;
    }

    /** Whether all that was submitted has ended. */
    boolean isEmpty() {
        return completed.get() == submitted.get();
    }

    /** A call that waits for the queue cannot come from its own thread, on which completions run. */
    void requireOther(String call) {
        if (onOwnThread()) {
            throw new InvalidCallException(
                    ResultCode.INVALID_USAGE,
                    call + " from the completion of an operation would wait for those that wait behind it: use the"
                            + " asynchronous form, or give the completion an executor (thenRunAsync)");
        }
    }

    private synchronized boolean onOwnThread() {
        return Thread.currentThread() == thread;
    }

    synchronized Work submit(Runnable action) {
        if (closed) {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "the communicator is closed");
        }
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name(name).start(this::run);
        }
        submitted.incrementAndGet();
        Work work = new Work();
        tasks.add(new Task(work, action));
        return work;
    }

    private void run() {
        try {
            for (Task task = tasks.take(); task.action != null; task = tasks.take()) {
                Throwable thrown = null;
                try {
                    task.action.run();
                } catch (RuntimeException | Error e) {
                    thrown = e;
                }
                completed.incrementAndGet();
                task.work.ended(thrown);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Takes no more and waits for what was submitted; on the queue's own thread without waiting.
     *
     * @return true if the thread has ended, never began, or is the caller: nothing runs but what asks whether it still may
     */
    boolean close(Deadline deadline) {
        synchronized (this) {
            if (!closed) {
                closed = true;
                tasks.add(new Task(new Work(), null));
            }
            if (thread == null || onOwnThread()) {
                return true;
            }
        }
        try {
            thread.join(deadline.remainingMillis() + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return stopped();
    }

    synchronized boolean stopped() {
        return thread == null || !thread.isAlive();
    }
}
