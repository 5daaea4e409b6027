package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class NativeMemoryTest {
    private static final int BYTES = 256;

    private final GuardedMemory memory = new GuardedMemory(BYTES);
    private final long start = memory.address();

    @AfterEach
    void unmap() {
        memory.close();
    }

    @Test
    void plainAccessTakesAnyAlignmentUpToTheLastByte() {
        NativeMemory.putLong(start + BYTES - 9, 0x0102030405060708L);
        assertThat(NativeMemory.getLong(start + BYTES - 9)).isEqualTo(0x0102030405060708L);
        assertThat(NativeMemory.getByte(start + BYTES - 9)).isEqualTo((byte) 8);
        NativeMemory.putInt(start + BYTES - 5, 0x11223344);
        assertThat(NativeMemory.getInt(start + BYTES - 5)).isEqualTo(0x11223344);
        NativeMemory.putShort(start + BYTES - 3, (short) 0x5566);
        assertThat(NativeMemory.getShort(start + BYTES - 3)).isEqualTo((short) 0x5566);
        NativeMemory.putByte(start + BYTES - 1, (byte) 0x77);
        assertThat(NativeMemory.getByte(start + BYTES - 1)).isEqualTo((byte) 0x77);
        NativeMemory.putFloat(start + 1, 1.5f);
        assertThat(NativeMemory.getFloat(start + 1)).isEqualTo(1.5f);
    }

    @Test
    void orderedAccessReadsWhatWasWritten() {
        NativeMemory.putLongRelease(start + BYTES - 8, -7);
        assertThat(NativeMemory.getLongAcquire(start + BYTES - 8)).isEqualTo(-7);
        NativeMemory.putIntRelease(start + BYTES - 4, 9);
        assertThat(NativeMemory.getIntAcquire(start + BYTES - 4)).isEqualTo(9);
        NativeMemory.putLongVolatile(start, 5);
        assertThat(NativeMemory.getLongVolatile(start)).isEqualTo(5);
        assertThat(NativeMemory.getAndAddLong(start, 3)).isEqualTo(5);
        assertThat(NativeMemory.compareAndSetLong(start, 5, 1)).isFalse();
        assertThat(NativeMemory.compareAndSetLong(start, 8, 1)).isTrue();
        assertThat(NativeMemory.getLong(start)).isEqualTo(1);
        assertThat(NativeMemory.compareAndSetInt(start, 1, 4)).isTrue();
        assertThat(NativeMemory.getInt(start)).isEqualTo(4);
    }

    @Test
    void copyAndFillStayInsideTheirRange() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            int bytes = random.nextInt(BYTES / 2);
            int from = random.nextInt(BYTES / 2 - bytes + 1);
            int to = BYTES - bytes;
            NativeMemory.fill(start, BYTES, (byte) 1);
            NativeMemory.fill(start + from, bytes, (byte) round);
            NativeMemory.copy(start + from, start + to, bytes);
            for (int at = 0; at < BYTES; at++) {
                boolean inside = (at >= from && at < from + bytes) || at >= to;
                assertThat(NativeMemory.getByte(start + at))
                        .as("seed %d, byte %d", seed, at)
                        .isEqualTo(inside ? (byte) round : 1);
            }
        }
    }

    @Test
    void atomicAddsFromTwoThreadsAreNotLost() throws InterruptedException {
        NativeMemory.putLong(start, 0);
        Runnable adder = () -> {
            for (int turn = 0; turn < 50_000; turn++) {
                NativeMemory.getAndAddLong(start, 1);
            }
        };
        Thread other = Thread.ofPlatform().start(adder);
        adder.run();
        other.join();
        assertThat(NativeMemory.getLongAcquire(start)).isEqualTo(100_000);
    }
}
