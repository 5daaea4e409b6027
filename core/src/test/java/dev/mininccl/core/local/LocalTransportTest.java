package dev.mininccl.core.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalTransportTest {

    private static final Deadline SOON = Deadline.after(Duration.ofSeconds(10));

    private final Arena arena = Arena.ofShared();
    private final LocalTransportProvider provider = new LocalTransportProvider();

    @AfterEach
    void free() {
        arena.close();
        assertThat(LocalMemory.held()).isZero();
    }

    @Test
    void ranksOfOneProcessMeetOnEveryChannel() {
        try (Transport zero = open(0, 2, Settings.defaults());
                Transport one = open(1, 2, Settings.defaults())) {
            assertThat(attach(zero, 1, one)).isNull();
            assertThat(attach(one, 0, zero)).isNull();
            for (int channel = 0; channel < 2; channel++) {
                Link there = zero.link(1, channel);
                Link here = one.link(0, channel);
                long source = arena.allocate(8, 8).address();
                NativeMemory.putLong(source, 40 + channel);
                assertThat(there.send().offer(source, 8, 1)).isTrue();
                here.receive().expect(0, 8, 1);
                assertThat(NativeMemory.getLong(here.receive().poll())).isEqualTo(40 + channel);
                assertThat(here.description()).startsWith("one process, 4 slots of 131072 B");
            }
        }
    }

    @Test
    void memoryStaysUntilBothHaveClosed() {
        Transport zero = open(0, 1, Settings.defaults());
        Transport one = open(1, 1, Settings.defaults());
        attach(zero, 1, one);
        attach(one, 0, zero);
        zero.close();
        zero.close();
        assertThat(LocalMemory.held()).isEqualTo(1);
        one.close();
    }

    @Test
    void anotherProcessIsRefused() {
        try (Transport zero = open(0, 1, Settings.defaults());
                Transport one = open(1, 1, Settings.defaults())) {
            byte[] foreign = one.address();
            foreign[3]++;
            assertThat(attach(zero, 1, foreign)).isEqualTo("another process");
            assertThat(attach(zero, 1, new byte[3])).contains("another version");
        }
    }

    @Test
    void otherLanesAreRefused() {
        try (Transport zero = open(0, 1, Settings.defaults());
                Transport one = open(1, 1, Settings.defaults().with(Setting.SLICE_SIZE, "64K"))) {
            assertThat(attach(zero, 1, one))
                    .isEqualTo("lanes differ: 1 x 4 slots of 131072 B here, 1 x 4 slots of 65536 B there");
        }
    }

    @Test
    void windowsAreSharedUntilBothHaveClosed() throws Exception {
        try (Transport zero = open(0, 1, Settings.defaults());
                Transport one = open(1, 1, Settings.defaults())) {
            Windows.Window mine = zero.windows().orElseThrow().create(10_000);
            Windows.Window other = one.windows().orElseThrow().create(10_000);
            long mapped = other.map(0, mine.handle());
            mine.settled();
            NativeMemory.putLong(mine.address() + 9_992, 77);
            byte[] handle = mine.handle();
            mine.close();
            mine.close();
            assertThat(NativeMemory.getLong(mapped + 9_992)).isEqualTo(77);
            other.close();
            assertThatThrownBy(() -> other.map(0, handle)).isInstanceOf(TransportUnavailableException.class);
        }
    }

    private Transport open(int rank, int channels, Settings settings) {
        return provider.open(new TransportContext(rank, 2, channels, settings, new AbortFlag(arena)));
    }

    private static String attach(Transport here, int peer, Transport there) {
        return attach(here, peer, there.address());
    }

    private static String attach(Transport here, int peer, byte[] address) {
        BitSet wanted = new BitSet();
        wanted.set(peer);
        byte[] own = here.address();
        return here.attach(peer == 0 ? List.of(address, own) : List.of(own, address), wanted, SOON)
                .get(peer);
    }
}
