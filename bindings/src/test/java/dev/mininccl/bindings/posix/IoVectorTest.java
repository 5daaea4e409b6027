package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class IoVectorTest {
    @Test
    void piecesTravelInOneCall() {
        Socket[] ends = Socket.pair();
        try (Socket first = ends[0];
                Socket second = ends[1];
                GuardedMemory memory = new GuardedMemory(32)) {
            long at = memory.address();
            NativeMemory.putLong(at, 0x1111);
            NativeMemory.putLong(at + 8, 0x2222);
            IoVector out = new IoVector(3).set(0, at + 8, 8).set(1, at, 0).set(2, at, 8);
            IoVector in = new IoVector(2).set(0, at + 16, 4).set(1, at + 20, 12);

            assertThat(second.receive(in)).isEqualTo(-Errno.EAGAIN);
            assertThat(first.send(out)).isEqualTo(16);
            assertThat(second.receive(in)).isEqualTo(16);
            assertThat(NativeMemory.getLong(at + 16)).isEqualTo(0x2222);
            assertThat(NativeMemory.getLong(at + 24)).isEqualTo(0x1111);

            first.shutdown();
            assertThat(second.receive(in)).isZero();
            assertThat(second.send(out)).isEqualTo(-Errno.EPIPE);
        }
    }

    @Test
    void sizesAreChecked() {
        assertThatThrownBy(() -> new IoVector(0)).hasMessage("pieces 0 is not 1 to 1024");
        assertThatThrownBy(() -> new IoVector(1025)).hasMessage("pieces 1025 is not 1 to 1024");
        assertThatThrownBy(() -> new IoVector(2).set(2, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
