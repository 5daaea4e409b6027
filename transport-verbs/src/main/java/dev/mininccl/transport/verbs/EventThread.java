package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.ibverbs.AsyncEvent;
import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.core.spi.Pinning;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * Takes and acknowledges a device's asynchronous events: unacknowledged ones would hold up closing for ever. A port that
 * goes down is logged only: requests are sent again until their retries end, so a link that comes back in time is no failure.
 */
final class EventThread implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("mininccl.verbs");

    private static final int LOOK_MILLIS = 100;
    private static final int JOIN_MILLIS = 2000;

    private final Port port;
    private final BitSet processors;
    private final Consumer<AsyncEvent> fatal;
    private final Thread thread;
    private volatile boolean stop;

    /**
     * Calls {@code fatal} on its own thread, which stays on the processors, if there are any, for events after which a queue
     * pair or the device does not work.
     */
    EventThread(Port port, BitSet processors, Consumer<AsyncEvent> fatal) {
        this.port = port;
        this.processors = processors;
        this.fatal = fatal;
        thread = Thread.ofPlatform()
                .daemon()
                .name("mininccl-verbs-events-" + port.context().device().name())
                .start(this::run);
    }

    private void run() {
        Pinning.pin(processors);
        try {
            while (!stop) {
                port.context().nextEvent(LOOK_MILLIS).ifPresent(this::take);
            }
        } catch (PosixException e) {
            LOG.log(Level.WARNING, "no more asynchronous events of {0}: {1}", port, e.getMessage());
        }
    }

    private void take(AsyncEvent event) {
        boolean other = event.port() != 0 && event.port() != port.number();
        LOG.log(other || !grave(event) ? Level.DEBUG : Level.WARNING, "{0}: {1}", port, event);
        if (event.type().fatal()) {
            fatal.accept(event);
        }
    }

    private static boolean grave(AsyncEvent event) {
        return event.type().fatal() || event.type() == AsyncEvent.Type.PORT_ERROR;
    }

    /** Returns once the thread has ended, or after a bounded time. */
    @Override
    public void close() {
        stop = true;
        boolean interrupted = false;
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
