package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.spi.AbortFlag;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class WaiterTest {

    /** A paused container's ranks were all paused: none has let the others wait. */
    @Test
    void timeThatTheProcessWasStoppedDoesNotCount() throws InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        AtomicLong still = new AtomicLong();
        try (Arena arena = Arena.ofConfined()) {
            Waiter waiter = new Waiter(
                    new AbortFlag(arena),
                    (since, now) -> {
                        looks.incrementAndGet();
                        still.set(now - since);
                        return false;
                    },
                    true);
            waiter.begin();
            idleUntil(waiter, looks, 2);
            Thread.sleep(3_000);
            idleUntil(waiter, looks, 4);
        }
        assertThat(still.get()).isBetween(1_000_000_000L, 2_500_000_000L);
    }

    private static void idleUntil(Waiter waiter, AtomicInteger looks, int count) {
        while (looks.get() < count) {
            assertThat(waiter.idle()).isFalse();
        }
    }
}
