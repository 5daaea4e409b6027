package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.AsyncEvent;
import dev.mininccl.bindings.ibverbs.VerbsException;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Pinning;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Takes and acknowledges a device's asynchronous events: unacknowledged ones would hold up closing for ever. A port that
 * goes down is logged only: requests are sent again until their retries end, so a link that comes back in time is no failure.
 */
final class EventThread implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private static final int LOOK_MILLIS = 100;
    private static final Duration JOIN = Duration.ofSeconds(2);

    private final String port;
    private final int number;
    private final IntFunction<Optional<AsyncEvent>> events;
    private final BitSet processors;
    private final Consumer<AsyncEvent> fatal;
    private final Consumer<String> deaf;
    private final Thread thread;
    private volatile boolean stop;

    /**
     * Takes events from a function that waits so many milliseconds for one. Calls {@code fatal} on its own thread, which stays
     * on the processors, if there are any, for events after which a queue pair or the device does not work, and {@code deaf} if
     * no more can be had, as when the device was taken away.
     */
    EventThread(
            String port,
            int number,
            IntFunction<Optional<AsyncEvent>> events,
            BitSet processors,
            Consumer<AsyncEvent> fatal,
            Consumer<String> deaf) {
        this.port = port;
        this.number = number;
        this.events = events;
        this.processors = processors;
        this.fatal = fatal;
        this.deaf = deaf;
        thread = Thread.ofPlatform()
                .daemon()
                .name("mininccl-verbs-events-" + port)
                .start(this::run);
    }

    private void run() {
        Pinning.pin(processors);
        try {
            while (!stop) {
                events.apply(LOOK_MILLIS).ifPresent(this::take);
            }
        } catch (PosixException | VerbsException e) {
            LOG.log(Level.WARNING, "no more asynchronous events of {0}: {1}", port, e.getMessage());
            deaf.accept(e.getMessage());
        }
    }

    private void take(AsyncEvent event) {
        boolean other = event.port() != 0 && event.port() != number;
        LOG.log(other || !grave(event) ? Level.DEBUG : Level.WARNING, "{0}: {1}", port, event);
        if (event.type().fatal()) {
            fatal.accept(event);
        }
    }

    private static boolean grave(AsyncEvent event) {
        return event.type().fatal() || event.type() == AsyncEvent.Type.PORT_ERROR;
    }

    /** Returns once the thread has ended, or after a bounded time; an interrupt waits, since the device is closed next. */
    @Override
    public void close() {
        stop = true;
        boolean interrupted = false;
        Deadline deadline = Deadline.after(JOIN);
        while (thread.isAlive() && !deadline.expired()) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadline.remainingNanos())));
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
