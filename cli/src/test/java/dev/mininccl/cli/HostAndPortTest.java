package dev.mininccl.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {

    @ParameterizedTest
    @CsvSource({
        "host, host, 9999",
        "host:1, host, 1",
        "10.0.0.1:65535, 10.0.0.1, 65535",
        "[::1]:7, ::1, 7",
        "[fe80::1], fe80::1, 9999",
        "fe80::1, fe80::1, 9999",
    })
    void isRead(String text, String host, int port) {
        HostAndPort at = HostAndPort.parse("--master", text, 9999);
        assertThat(at).isEqualTo(new HostAndPort(host, port));
        assertThat(HostAndPort.parse("--master", at.toString(), 1)).isEqualTo(at);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":1", "host:", "host:x", "host:65536", "[::1", "[]:1", "[::1]x:2"})
    void isRefused(String text) {
        assertThatThrownBy(() -> HostAndPort.parse("--master", text, 9999))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--master " + text)
                .hasMessageContaining("HOST:PORT");
    }
}
