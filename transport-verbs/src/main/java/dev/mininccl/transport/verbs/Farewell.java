package dev.mininccl.transport.verbs;

import dev.mininccl.core.spi.Deadline;
import java.time.Duration;

/**
 * The end of a link: what was posted must arrive before the queue pair goes. Each end writes a goodbye behind everything
 * else and waits until it is acknowledged. One that already has the peer's goodbye owes it nothing and does not wait: the
 * peer may be gone, and nobody would answer.
 */
final class Farewell {

    /** For our own goodbye to get away when the peer's comes while we wait. */
    private static final Duration GRACE = Duration.ofMillis(50);

    private Farewell() {}

    static void say(VerbsLink link, Deadline deadline) {
        if (link.peerSaidGoodbye() || !link.sayGoodbye()) {
            return;
        }
        Deadline grace = null;
        while (!link.drained() && !deadline.expired() && (grace == null || !grace.expired())) {
            if (grace == null && link.peerSaidGoodbye()) {
                grace = Deadline.after(GRACE);
            }
            Thread.onSpinWait();
        }
    }
}
