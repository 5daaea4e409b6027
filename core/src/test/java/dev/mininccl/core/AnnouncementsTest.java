package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.gpu.HostRelay;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AnnouncementsTest {

    private static final long LARGE = 64 << 10;
    private static final int STAGING = 1 << 20;

    private final Listener transport = new Listener();
    private final Announcements announcements = new Announcements(transport::announce, transport::withdraw);

    @Test
    void onlyLargeOperationsAreAnnouncedAndTheNextSmallOneEndsThat() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(LARGE);
            MemorySegment out = arena.allocate(LARGE);
            announcements.operation(in, out, LARGE - 1);
            announcements.operation(in, out, LARGE);
            announcements.operation(in, out, 8);
            announcements.operation(in, out, 8);
            announcements.operation(null, null, LARGE);
            announcements.operation(in, null, LARGE);
            assertThat(transport.heard).containsExactly(in + " " + out, "null null", in + " null");
        }
    }

    @Test
    void stagingMemoryIsAnnouncedWholeAndWithdrawnBeforeItIsFreed() {
        HostRelay relay = relay(true);
        transport.relay = relay;
        assertThat(relay.allReduce(0, 0, 0, DataType.FLOAT32, ReduceOp.SUM)).isTrue();
        assertThat(transport.heard).containsExactly(transport.announced + " null");
        assertThat(transport.announced.byteSize()).isEqualTo(STAGING);
        assertThat(transport.announced.scope().isAlive()).isTrue();
        relay.close();
        assertThat(transport.heard)
                .endsWith("withdrawn, alive false, freed false")
                .hasSize(2);
        assertThat(relay.freed()).isTrue();
        try (Arena arena = Arena.ofConfined()) {
            announcements.operation(arena.allocate(8), null, 8);
        }
        assertThat(transport.heard).as("staging memory no longer stands").endsWith("null null");
    }

    @Test
    void whatTransportsCannotGiveBackIsNotFreed() {
        HostRelay relay = relay(false);
        relay.allReduce(0, 0, 0, DataType.FLOAT32, ReduceOp.SUM);
        relay.close();
        assertThat(relay.freed()).isFalse();
    }

    private HostRelay relay(boolean withdrawn) {
        return new HostRelay(
                STAGING,
                1,
                1 << 10,
                1,
                0,
                1,
                (collective, staging, count, type, op) -> announcements.staged(staging.memory()),
                () -> {
                    announcements.withdraw();
                    return withdrawn;
                },
                thrown -> {
                    throw new AssertionError(thrown);
                });
    }

    /** A transport that only listens. */
    private static final class Listener implements Transport {
        final List<String> heard = new ArrayList<>();
        MemorySegment announced;
        HostRelay relay;

        @Override
        public void announce(MemorySegment in, MemorySegment out, long bytes) {
            heard.add(in + " " + out);
            announced = in;
        }

        @Override
        public void withdraw() {
            boolean alive = announced.scope().isAlive();
            heard.add("withdrawn, alive " + alive + ", freed " + (relay != null && relay.freed()));
        }

        @Override
        public String name() {
            return "listener";
        }

        @Override
        public byte[] address() {
            return new byte[1];
        }

        @Override
        public List<String> attach(List<byte[]> addresses, BitSet wanted, Deadline deadline) {
            throw new AssertionError("not asked for");
        }

        @Override
        public Link link(int peer, int channel) {
            throw new AssertionError("not asked for");
        }

        @Override
        public void close() {}
    }
}
