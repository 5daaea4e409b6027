package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WordLineTest {

    private static final long NUMBER = 0x1_0000_0007L;
    private static final long FINGERPRINT = 0x8765_4321_fedc_ba98L;
    private static final byte UNTOUCHED = 0x55;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment sent = arena.allocate(WordLine.BYTES, 8);
    private final MemorySegment seen = arena.allocate(WordLine.BYTES, 8);

    @AfterEach
    void free() {
        arena.close();
    }

    private MemorySegment random(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        MemorySegment segment = arena.allocate(bytes + 1);
        MemorySegment.copy(content, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes);
        return segment;
    }

    private int pack(MemorySegment source, int bytes) {
        WordLine.head(sent.address(), NUMBER, FINGERPRINT, bytes, -2);
        return WordLine.pack(sent.address(), NUMBER, source.address(), bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 1001, WordLine.SHORT_BYTES})
    void comesBack(int bytes) {
        MemorySegment source = random(bytes);
        int length = pack(source, bytes);
        assertThat(length)
                .isEqualTo(WordLine.HEADER_BYTES + (bytes + 3) / 4 * 8)
                .isLessThanOrEqualTo(WordLine.BYTES);
        assertThat(WordLine.arrived(sent.address(), NUMBER)).isEqualTo(bytes);
        assertThat(WordLine.fingerprint(sent.address())).isEqualTo(FINGERPRINT);
        assertThat(WordLine.consumed(sent.address())).isEqualTo(-2);
        MemorySegment target = arena.allocate(bytes + 1).fill(UNTOUCHED);
        assertThat(WordLine.unpack(sent.address(), NUMBER, target.address(), bytes))
                .isTrue();
        assertThat(target.asSlice(0, bytes).mismatch(source.asSlice(0, bytes))).isEqualTo(-1);
        assertThat(target.get(ValueLayout.JAVA_BYTE, bytes)).isEqualTo(UNTOUCHED);
    }

    /** Whatever order the words of a line come in, it is there with the last one and not before. */
    @Test
    void isThereOnlyWhenAllWordsAre() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        int bytes = 37;
        int words = pack(random(bytes), bytes) / 8;
        long target = arena.allocate(bytes).address();
        int[] order = new Random(seed).ints(0, words).distinct().limit(words).toArray();
        for (int step = 0; step < words; step++) {
            assertThat(there(bytes, target))
                    .as("after %d of %d words", step, words)
                    .isFalse();
            MemorySegment.copy(sent, 8L * order[step], seen, 8L * order[step], 8);
        }
        assertThat(there(bytes, target)).isTrue();
    }

    private boolean there(int bytes, long target) {
        return WordLine.arrived(seen.address(), NUMBER) == bytes
                && WordLine.unpack(seen.address(), NUMBER, target, bytes);
    }

    @Test
    void earlierSliceIsAbsent() {
        pack(random(8), 8);
        assertThat(WordLine.arrived(sent.address(), NUMBER + 4)).isEqualTo(WordLine.ABSENT);
    }
}
