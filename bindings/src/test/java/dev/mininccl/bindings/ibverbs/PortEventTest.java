package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Takes the interface under the device down and up again, so it runs only where one is named for that purpose. */
@Timeout(120)
class PortEventTest {
    private static final String LINK = System.getenv().getOrDefault("MINI_NCCL_TEST_LINK", "");
    private static final int PATIENCE_MILLIS = 20_000;

    @Test
    void linkGoesDownAndComesBack() throws Exception {
        assumeTrue(!LINK.isEmpty(), "MINI_NCCL_TEST_LINK names no interface that may be taken down");
        try (DeviceList devices = DeviceList.open();
                Context context = devices.devices().getFirst().open()) {
            assertThat(context.port(1).active()).isTrue();
            link("down");
            assertThat(events(context, AsyncEvent.Type.PORT_ERROR)).contains(AsyncEvent.Type.PORT_ERROR);
            assertThat(context.port(1).state()).isEqualTo(PortAttributes.State.DOWN);
            link("up");
            assertThat(events(context, AsyncEvent.Type.PORT_ACTIVE)).contains(AsyncEvent.Type.PORT_ACTIVE);
            assertThat(context.port(1).active()).isTrue();
        }
    }

    /** Reads events up to one of a type. */
    private static Set<AsyncEvent.Type> events(Context context, AsyncEvent.Type last) {
        Set<AsyncEvent.Type> seen = EnumSet.noneOf(AsyncEvent.Type.class);
        while (!seen.contains(last)) {
            Optional<AsyncEvent> event = context.nextEvent(PATIENCE_MILLIS);
            if (event.isEmpty()) {
                return seen;
            }
            assertThat(event.get().port()).isEqualTo(1);
            seen.add(event.get().type());
        }
        return seen;
    }

    @AfterEach
    void bringUp() throws Exception {
        if (!LINK.isEmpty()) {
            link("up");
        }
    }

    private static void link(String state) throws Exception {
        Process ip =
                new ProcessBuilder("ip", "link", "set", LINK, state).inheritIO().start();
        assertThat(ip.waitFor()).isZero();
    }
}
