package dev.mininccl.core.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(20)
class ShortCopyTest {

    private static final int MARGIN = 16;

    static IntStream lengths() {
        return IntStream.rangeClosed(0, SlotHeader.INLINE_BYTES);
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void copiesExactlySoManyBytes(int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(bytes + 1);
            for (int i = 0; i < bytes; i++) {
                source.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
            }
            MemorySegment target = arena.allocate(MARGIN + bytes + MARGIN);
            target.fill((byte) -1);
            ShortCopy.copy(source.address(), target.address() + MARGIN, bytes);
            assertThat(target.asSlice(MARGIN, bytes).mismatch(source.asSlice(0, bytes)))
                    .isEqualTo(-1);
            for (int i = 0; i < MARGIN; i++) {
                assertThat(NativeMemory.getByte(target.address() + i)).isEqualTo((byte) -1);
                assertThat(NativeMemory.getByte(target.address() + MARGIN + bytes + i))
                        .isEqualTo((byte) -1);
            }
        }
    }
}
