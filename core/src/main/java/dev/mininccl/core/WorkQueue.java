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
    private volatile Thread thread;
    private boolean closed;

    WorkQueue(String name) {
        this.name = name;
    }

    /** Whether all that was submitted has ended. */
    boolean isEmpty() {
        return completed.get() == submitted.get();
    }

    synchronized Work submit(Runnable action) {
        if (closed) {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "the communicator is closed");
        }
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name(name).start(this::run);
        }
        Task task = new Task(new Work(this), action);
        tasks.add(task);
        submitted.incrementAndGet();
        return task.work;
    }

    private void run() {
        for (Task task = next(); task.action != null; task = next()) {
            run(task);
        }
    }

    private Task next() {
        while (true) {
            try {
                return tasks.take();
            } catch (InterruptedException e) {
                // By an operation's callback, on itself: those who wait for the other operations shall not suffer.
            }
        }
    }

    private void run(Task task) {
        Throwable thrown = null;
        try {
            task.action.run();
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        completed.incrementAndGet();
        task.work.ended(thrown);
    }

    /** On this queue's own thread, that is in a callback of an operation, nobody else would run what a work waits for. */
    void help(Work work) {
        while (isOwnThread() && !work.isDone()) {
            run(next());
        }
    }

    private boolean isOwnThread() {
        return Thread.currentThread().equals(thread);
    }

    /** Takes no more and waits for what was submitted, through interrupts, but not in a callback. */
    void close(Deadline deadline) {
        synchronized (this) {
            if (!closed) {
                closed = true;
                tasks.add(new Task(new Work(this), null));
            }
        }
        if (thread == null || isOwnThread()) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive() && !deadline.expired()) {
            try {
                thread.join(deadline.remainingMillis() + 1);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
