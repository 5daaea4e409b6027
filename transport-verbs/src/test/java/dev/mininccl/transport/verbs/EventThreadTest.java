package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.ibverbs.AsyncEvent;
import dev.mininccl.bindings.posix.PosixException;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that takes a device's events, with events that are made up. */
@Timeout(20)
class EventThreadTest {

    private final List<AsyncEvent> fatal = new CopyOnWriteArrayList<>();
    private final List<String> deaf = new CopyOnWriteArrayList<>();
    private final CountDownLatch asked = new CountDownLatch(3);

    private EventThread on(IntFunction<Optional<AsyncEvent>> events) {
        return new EventThread("made-up:1", 1, events, new BitSet(), fatal::add, deaf::add);
    }

    /** The next to go is the device, so nobody may be in its functions any more. */
    @Test
    void closingWaitsForTheThreadEvenWhenInterrupted() {
        AtomicBoolean within = new AtomicBoolean();
        EventThread thread = on(millis -> {
            within.set(true);
            asked.countDown();
            sleep(millis);
            within.set(false);
            return Optional.empty();
        });
        await();
        Thread.currentThread().interrupt();
        thread.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(within).isFalse();
    }

    @Test
    void fatalEventsAreToldAndOthersAreNot() {
        AsyncEvent broken = new AsyncEvent(AsyncEvent.Type.QUEUE_PAIR_FATAL, 0, 17, 0);
        AsyncEvent down = new AsyncEvent(AsyncEvent.Type.PORT_ERROR, 1, 0, 0);
        EventThread thread = on(_ -> {
            asked.countDown();
            return Optional.of(asked.getCount() == 1 ? broken : down);
        });
        await();
        thread.close();
        assertThat(fatal).containsExactly(broken);
        assertThat(deaf).isEmpty();
    }

    /** As when the device is taken away. */
    @Test
    void whoCannotHearAnyMoreSaysSo() {
        EventThread thread = on(_ -> {
            throw new PosixException("poll of asynchronous events of made-up", 5);
        });
        while (deaf.isEmpty()) {
            sleep(1);
        }
        thread.close();
        assertThat(deaf).singleElement().asString().contains("poll of asynchronous events of made-up");
    }

    private void await() {
        try {
            asked.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
