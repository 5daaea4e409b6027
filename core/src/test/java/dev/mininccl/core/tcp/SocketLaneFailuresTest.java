package dev.mininccl.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.Socket;
import dev.mininccl.core.spi.ReceiveLane;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SocketLaneFailuresTest {

    private static final int SLOT = 4096;

    private final Arena arena = Arena.ofShared();
    private final Socket[] pair = Socket.pair();
    private final SocketLink first = new SocketLink(Medium.UNIX, 1, new Socket[] {pair[0]}, SLOT, 2, arena);
    private final SocketLink second = new SocketLink(Medium.UNIX, 0, new Socket[] {pair[1]}, SLOT, 2, arena);
    private final long memory = arena.allocate(SLOT, 128).address();

    @AfterEach
    void close() {
        first.close();
        second.close();
        arena.close();
    }

    private long poll() {
        long polled = ReceiveLane.NOTHING;
        while (polled == ReceiveLane.NOTHING) {
            polled = second.receive().poll();
        }
        return polled;
    }

    @Test
    void otherFingerprintIsMismatch() {
        first.send().offer(memory, 100, 1);
        second.receive().expect(0, 100, 2);
        assertThat(poll()).isEqualTo(ReceiveLane.MISMATCH);
        assertThat(second.receive().poll()).isEqualTo(ReceiveLane.MISMATCH);
        assertThat(second.receive().failure()).isNull();
    }

    @Test
    void otherLengthIsMismatchBeforeItsEndHasCome() {
        first.send().offer(memory, 100, 1);
        second.receive().expect(memory, 101, 1);
        assertThat(poll()).isEqualTo(ReceiveLane.MISMATCH);
    }

    @Test
    void shorterOneDoesNotWriteBeyondIt() {
        first.send().offer(memory, 2000, 1);
        second.receive().expect(0, 8, 1);
        assertThat(poll()).isEqualTo(ReceiveLane.MISMATCH);
    }

    @Test
    void foreignBytesFailTheLink() {
        pair[0].send(memory, 64);
        second.receive().expect(0, 8, 1);
        assertThat(poll()).isEqualTo(ReceiveLane.FAILED);
        assertThat(second.receive().failure())
                .startsWith("unix link to rank 0 at ")
                .contains("is no slice");
    }

    @Test
    void closedPeerFailsTheReceiver() {
        first.close();
        second.receive().expect(0, 8, 1);
        assertThat(poll()).isEqualTo(ReceiveLane.FAILED);
        assertThat(second.receive().failure()).contains("rank 0").contains("closed the connection");
    }

    @Test
    void whatCameBeforeTheCloseIsReceived() {
        first.send().offer(memory, 8, 1);
        first.close();
        second.receive().expect(0, 8, 1);
        assertThat(poll()).isPositive();
        second.receive().release();
        second.receive().expect(0, 8, 1);
        assertThat(poll()).isEqualTo(ReceiveLane.FAILED);
    }

    @Test
    void closedPeerFailsTheSender() {
        second.close();
        assertThat(first.send().offer(memory, 8, 1)).isTrue();
        assertThat(first.send().released()).isZero();
        assertThat(first.send().progress()).isFalse();
        assertThat(first.send().offer(memory, 8, 1)).isFalse();
        assertThat(first.receive().failure())
                .contains("rank 1")
                .contains("sending failed with EPIPE (32): Broken pipe");
        first.receive().expect(0, 8, 1);
        assertThat(first.receive().poll()).isEqualTo(ReceiveLane.FAILED);
    }

    @Test
    void noMoreThanDepthUnderWay() {
        pair[0].sendBuffer(4608);
        int offered = 0;
        while (first.send().offer(memory, SLOT, 1)) {
            offered++;
            assertThat(first.send().offered() - first.send().released()).isLessThanOrEqualTo(2);
        }
        assertThat(offered).isGreaterThanOrEqualTo(2).isEqualTo((int)
                first.send().offered());
        assertThat(first.send().offerReference(memory, 8, 1)).isFalse();
        assertThat(first.send().referenceBytes()).isZero();
    }

    @Test
    void usingAClosedLinkIsHarmless() {
        first.receive().expect(0, 8, 1);
        first.close();
        first.close();
        assertThat(first.send().offer(memory, 8, 1)).isFalse();
        assertThat(first.send().progress()).isFalse();
        assertThat(first.receive().poll()).isEqualTo(ReceiveLane.FAILED);
        assertThat(first.receive().failure()).contains("closed by this rank");
    }
}
