package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import dev.mininccl.core.spi.Windows;
import dev.mininccl.core.spi.Windows.Window;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport with windows must do. */
@ParameterizedClass
@ValueSource(strings = {"local", "shm"})
@Timeout(60)
class WindowsTest {

    private static final long BYTES = 100_001;

    private final String transport;

    WindowsTest(String transport) {
        this.transport = transport;
    }

    private Pair pair() throws TransportUnavailableException {
        return new Pair(Providers.named(transport), 1, Settings.defaults());
    }

    @Test
    void storesAreSeenByThePeer() throws Exception {
        try (Pair pair = pair();
                Window zero = windows(pair).create(BYTES);
                Window one = pair.one.windows().orElseThrow().create(BYTES)) {
            assertThat(zero.address() % 4096).isZero();
            assertThat(zero.bytes()).isEqualTo(BYTES);
            long mappedByOne = one.map(0, zero.handle());
            long mappedByZero = zero.map(1, one.handle());
            zero.settled();
            one.settled();
            assertThat(NativeMemory.getLong(mappedByOne)).as("zeroed").isZero();
            NativeMemory.putLong(zero.address() + BYTES - 8, 1);
            NativeMemory.putLong(mappedByZero + BYTES - 8, 2);
            assertThat(NativeMemory.getLong(mappedByOne + BYTES - 8)).isEqualTo(1);
            assertThat(NativeMemory.getLong(one.address() + BYTES - 8)).isEqualTo(2);
        }
    }

    @Test
    void peersKeepWhatTheyHaveMapped() throws Exception {
        try (Pair pair = pair();
                Window one = pair.one.windows().orElseThrow().create(BYTES)) {
            Window zero = windows(pair).create(BYTES);
            NativeMemory.putLong(zero.address(), 5);
            long mapped = one.map(0, zero.handle());
            zero.close();
            zero.close();
            assertThat(NativeMemory.getLong(mapped)).isEqualTo(5);
        }
    }

    @Test
    void closedOrUnknownWindowsAreRefused() throws Exception {
        try (Pair pair = pair();
                Window one = pair.one.windows().orElseThrow().create(BYTES)) {
            Window zero = windows(pair).create(BYTES);
            byte[] handle = zero.handle();
            zero.close();
            assertThatThrownBy(() -> one.map(0, handle))
                    .isInstanceOf(TransportUnavailableException.class)
                    .hasMessageStartingWith("rank 0's window");
            assertThatThrownBy(() -> one.map(0, new byte[2])).isInstanceOf(TransportUnavailableException.class);
            byte[] elsewhere = "\0\0\0\0\0\0\020\0../../etc/passwd".getBytes(StandardCharsets.US_ASCII);
            assertThatThrownBy(() -> one.map(0, elsewhere)).isInstanceOf(TransportUnavailableException.class);
        }
    }

    private static Windows windows(Pair pair) {
        return pair.zero.windows().orElseThrow();
    }
}
