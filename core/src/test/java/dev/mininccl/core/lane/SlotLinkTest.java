package dev.mininccl.core.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends in one thread, so that every order of steps can be chosen. */
@Timeout(20)
class SlotLinkTest {

    private static final long FINGERPRINT = 0x1234_5678_9abcL;
    private static final int DEPTH = 3;

    private final LaneLayout layout = new LaneLayout(DEPTH, 256);
    private final Arena arena = Arena.ofConfined();
    private final long source = arena.allocate(256, 8).address();
    private final FakePeerMemory memory = new FakePeerMemory();

    private long up;
    private SlotLink here;
    private SlotLink there;

    @BeforeEach
    void connect() {
        up = arena.allocate(layout.bytes(), LaneLayout.LINE_BYTES).address();
        long down = arena.allocate(layout.bytes(), LaneLayout.LINE_BYTES).address();
        here = new SlotLink(layout, up, down, 4096, PeerMemory.NONE, "here");
        there = new SlotLink(layout, down, up, 0, memory, "there");
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void nothingArrivesBeforeItIsOffered() {
        ReceiveLane receive = there.receive();
        receive.expect(0, 8, FINGERPRINT);
        assertThat(receive.poll()).isEqualTo(ReceiveLane.NOTHING);
        assertThat(receive.failure()).isNull();
    }

    @Test
    void fullUntilReleased() {
        SendLane send = here.send();
        for (int i = 0; i < DEPTH; i++) {
            assertThat(offer(i)).isTrue();
        }
        assertThat(offer(DEPTH)).isFalse();
        assertThat(send.offered()).isEqualTo(DEPTH);
        receive(0);
        assertThat(offer(DEPTH)).isTrue();
        assertThat(offer(DEPTH + 1)).isFalse();
        for (int i = 1; i <= DEPTH; i++) {
            receive(i);
        }
    }

    @Test
    void creditTravelsWithTheOppositeLane() {
        for (int i = 0; i < DEPTH; i++) {
            assertThat(offer(i)).isTrue();
            receive(i);
        }
        assertThat(there.send().offer(source, 8, FINGERPRINT)).isTrue();
        here.receive().expect(0, 8, FINGERPRINT);
        assertThat(here.receive().poll()).isPositive();
        // Were the receiver's own counter looked at, this would find the lane full.
        NativeMemory.putLong(up + layout.consumedOffset(), 0);
        assertThat(offer(DEPTH)).isTrue();
    }

    @Test
    void copiedSlicesAreReleasedAtOnce() {
        assertThat(here.send().released()).isZero();
        offer(7);
        offer(8);
        assertThat(here.send().released()).isEqualTo(2);
        assertThat(here.send().progress()).isFalse();
    }

    @Test
    void referencesAreReleasedWhenConsumed() {
        SendLane send = here.send();
        offer(0);
        receive(0);
        assertThat(send.offerReference(source, 100, FINGERPRINT)).isTrue();
        assertThat(send.released()).isEqualTo(1);
        assertThat(offer(1)).isTrue();
        assertThat(send.released()).as("a prefix of those offered").isEqualTo(1);
        receiveReference(100);
        assertThat(send.released()).isEqualTo(3);
        receive(1);
        assertThat(send.released()).isEqualTo(3);
    }

    @Test
    void releasedNeverShrinks() {
        SendLane send = here.send();
        offer(0);
        offer(1);
        assertThat(send.released()).isEqualTo(2);
        send.offerReference(source, 10, FINGERPRINT);
        assertThat(send.released()).isEqualTo(2);
        receive(0);
        assertThat(send.released()).isEqualTo(2);
        send.offerReference(source, 20, FINGERPRINT);
        receive(1);
        receiveReference(10);
        assertThat(send.released()).isEqualTo(3);
        receiveReference(20);
        assertThat(send.released()).isEqualTo(4);
    }

    @Test
    void otherFingerprintOrLengthIsAMismatch() {
        offer(5);
        ReceiveLane receive = there.receive();
        receive.expect(0, 8, FINGERPRINT + 1);
        assertThat(receive.poll()).isEqualTo(ReceiveLane.MISMATCH);
        receive.expect(0, 16, FINGERPRINT);
        assertThat(receive.poll()).isEqualTo(ReceiveLane.MISMATCH);
        assertThat(receive.failure()).isNull();
        receive(5);
    }

    @Test
    void lengthOfAReferenceIsComparedToo() {
        here.send().offerReference(source, 100, FINGERPRINT);
        there.receive().expect(0, 101, FINGERPRINT);
        assertThat(there.receive().poll()).isEqualTo(ReceiveLane.MISMATCH);
    }

    @Test
    void failedReadSaysWhy() {
        memory.fails = true;
        here.send().offerReference(source, 100, FINGERPRINT);
        ReceiveLane receive = there.receive();
        receive.expect(0, 100, FINGERPRINT);
        assertThat(receive.failure()).isNull();
        assertThat(receive.poll()).isEqualTo(ReceiveLane.FAILED);
        assertThat(receive.failure()).isEqualTo("peer is gone");
    }

    @Test
    void referenceToAPeerThatCannotReadFails() {
        // The right sender would not do that: there is nobody to read it.
        there.send().offerReference(source, 10, FINGERPRINT);
        here.receive().expect(0, 10, FINGERPRINT);
        assertThat(here.receive().poll()).isEqualTo(ReceiveLane.FAILED);
        assertThat(here.receive().failure()).contains("by reference");
    }

    @Test
    void tellsItsShape() {
        assertThat(here.send().depth()).isEqualTo(DEPTH);
        assertThat(here.send().slotBytes()).isEqualTo(256);
        assertThat(here.send().referenceBytes()).isEqualTo(4096);
        assertThat(there.send().referenceBytes()).isZero();
        assertThat(here.description()).isEqualTo("here");
    }

    @Test
    void layoutIsChecked() {
        assertThatThrownBy(() -> new LaneLayout(1, 128)).hasMessageContaining("depth 1");
        assertThatThrownBy(() -> new LaneLayout(2, 130)).hasMessageContaining("slotBytes 130");
        assertThat(LaneLayout.holding(2, 4097)).isEqualTo(new LaneLayout(2, 4224));
        assertThat(new LaneLayout(64, 1 << 28).bytes()).isEqualTo(65 * 128 + (64L << 28));
    }

    private boolean offer(long value) {
        NativeMemory.putLong(source, value);
        return here.send().offer(source, 8, FINGERPRINT);
    }

    private void receive(long value) {
        ReceiveLane receive = there.receive();
        receive.expect(0, 8, FINGERPRINT);
        long address = receive.poll();
        assertThat(address).isPositive();
        assertThat(NativeMemory.getLong(address)).isEqualTo(value);
        receive.release();
    }

    private void receiveReference(int bytes) {
        ReceiveLane receive = there.receive();
        receive.expect(0, bytes, FINGERPRINT);
        assertThat(receive.poll()).isEqualTo(source);
        receive.release();
    }

    private static final class FakePeerMemory implements PeerMemory {

        private boolean fails;

        @Override
        public long fetch(long address, int bytes, long destination) {
            return fails ? ReceiveLane.FAILED : address;
        }

        @Override
        public String failure() {
            return "peer is gone";
        }
    }
}
