package dev.mininccl.bindings.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(20)
class SockAddrTest {
    static List<SockAddr> addresses() {
        return List.of(
                inet("127.0.0.1", 65535),
                inet("10.99.0.1", 1),
                inet("::1", 9999),
                inet("fe80:0:0:0:1:2:3:4", 4791),
                SockAddr.unix(Path.of("/tmp/x")),
                SockAddr.unix(Path.of("/" + "p".repeat(106))),
                SockAddr.abstractUnix("mini-nccl"),
                SockAddr.abstractUnix("n".repeat(107)));
    }

    private static SockAddr inet(String host, int port) {
        return SockAddr.of(new InetSocketAddress(InetAddress.ofLiteral(host), port));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void decodesWhatItEncodedAndTouchesNothingBehind(SockAddr address) {
        int size;
        try (GuardedMemory roomy = new GuardedMemory(112)) {
            size = address.encode(roomy.segment());
        }
        // A segment without bounds checks of its own, so that the guard page is what stops a write too far.
        int aligned = (size + 3) / 4 * 4;
        try (GuardedMemory exact = new GuardedMemory(aligned)) {
            MemorySegment unbounded = NativeMemory.segment(exact.address(), 1 << 20);
            unbounded.asSlice(0, aligned).fill((byte) 0x55);
            assertThat(address.encode(unbounded)).isEqualTo(size).isLessThanOrEqualTo(SockAddr.MOST_BYTES);
            assertThat(SockAddr.decode(unbounded, size)).isEqualTo(address);
            for (int at = size; at < aligned; at++) {
                assertThat(unbounded.get(JAVA_BYTE, at)).isEqualTo((byte) 0x55);
            }
        }
    }

    @Test
    void lengthAndResolutionAreChecked() {
        assertThatThrownBy(() -> SockAddr.abstractUnix("n".repeat(108)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("108 bytes, at most 107");
        assertThatThrownBy(() -> SockAddr.of(InetSocketAddress.createUnresolved("nowhere.example", 1)))
                .hasMessageContaining("nowhere.example");
        assertThatThrownBy(() -> SockAddr.unix(Path.of(""))).hasMessageContaining("empty");
    }

    @Test
    void unknownFamilyIsNamed() {
        try (GuardedMemory memory = new GuardedMemory(112)) {
            memory.segment().set(JAVA_SHORT, 0, (short) 16);
            assertThatThrownBy(() -> SockAddr.decode(memory.segment(), 16)).hasMessageContaining("family 16");
        }
    }

    @Test
    void printsTheWayPeopleWriteThem() {
        assertThat(inet("127.0.0.1", 80)).hasToString("127.0.0.1:80");
        assertThat(inet("::1", 80)).hasToString("[0:0:0:0:0:0:0:1]:80");
        assertThat(SockAddr.abstractUnix("a")).hasToString("unix:@a");
    }
}
