package dev.mininccl.hera.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class FrameDecoderTest {

    private static final int LIMIT = 1000;

    private static ByteBuffer frame(int type, int length) {
        PayloadWriter out = new PayloadWriter();
        for (int i = 0; i < length; i++) {
            out.flag(i % 2 == 1);
        }
        return out.frame(type);
    }

    @Test
    void cutsAStreamWhereverItIsSplit() throws ProtocolException {
        int[] lengths = {0, 1, 0, 7, LIMIT, 3};
        ByteBuffer stream = ByteBuffer.allocate(4096);
        for (int i = 0; i < lengths.length; i++) {
            stream.put(frame(i, lengths[i]));
        }
        stream.flip();
        for (int step = 1; step <= stream.limit(); step += step < 40 ? 1 : 97) {
            FrameDecoder decoder = new FrameDecoder(LIMIT);
            List<Integer> seen = new ArrayList<>();
            for (int at = 0; at < stream.limit(); at += step) {
                ByteBuffer piece = stream.slice(at, Math.min(step, stream.limit() - at));
                for (Frame frame = decoder.next(piece); frame != null; frame = decoder.next(piece)) {
                    assertThat(frame.type()).isEqualTo(seen.size());
                    seen.add(frame.payload().length);
                }
            }
            assertThat(seen).containsExactly(0, 1, 0, 7, LIMIT, 3);
        }
    }

    @Test
    void aTruncatedFrameIsNoFrame() throws ProtocolException {
        ByteBuffer whole = frame(1, 20);
        for (int length = 0; length < whole.limit(); length++) {
            assertThat(new FrameDecoder(LIMIT).next(whole.slice(0, length))).isNull();
        }
    }

    @Test
    void refusesOneByteMoreThanTheLimit() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).next(frame(3, LIMIT + 1)))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("type 3")
                .hasMessageContaining("1001 bytes")
                .hasMessageContaining("0 to 1000");
    }

    @Test
    void refusesANegativeLengthBeforeAllocating() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).next(frame(3, 4).putInt(8, -1)))
                .hasMessageContaining("4294967295 bytes");
    }

    @Test
    void recognisesAStrangerByItsFirstFourBytes() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).next(ByteBuffer.wrap(new byte[] {'G', 'E', 'T', ' '})))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("47 45 54 20");
    }

    @Test
    void namesBothVersions() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).next(frame(1, 0).put(4, (byte) 9)))
                .hasMessageContaining("version 9")
                .hasMessageContaining("version " + Frame.VERSION);
    }

    @Test
    void refusesReservedBits() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).next(frame(1, 0).putShort(6, (short) 1)))
                .hasMessageContaining("reserved");
    }

    @Test
    void aChangedLimitAppliesToTheNextFrame() throws ProtocolException {
        FrameDecoder decoder = new FrameDecoder(4);
        assertThat(decoder.next(frame(1, 4))).isNotNull();
        decoder.limit(5);
        assertThat(decoder.next(frame(1, 5))).isNotNull();
    }

    /** Garbage behind a right magic: whatever comes out is a frame within the limit, a message, or a ProtocolException. */
    @Test
    void garbageNeverDoesMoreThanBeRefused() {
        long seed = System.nanoTime();
        System.out.println("FrameDecoderTest seed " + seed);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        int frames = 0;
        int messages = 0;
        for (int i = 0; i < 30_000; i++) {
            byte[] bytes = new byte[random.nextInt(12, 120)];
            random.nextBytes(bytes);
            ByteBuffer source = ByteBuffer.wrap(bytes).putInt(0, Frame.MAGIC);
            if (i % 4 > 0) {
                source.put(4, (byte) Frame.VERSION)
                        .put(5, (byte) random.nextInt(24))
                        .putShort(6, (short) 0);
                source.putInt(8, random.nextInt(bytes.length));
            }
            try {
                Frame frame = new FrameDecoder(LIMIT).next(source);
                if (frame != null) {
                    frames++;
                    assertThat(frame.payload().length).isBetween(0, LIMIT);
                    MessageCodec.decode(frame);
                    messages++;
                }
            } catch (ProtocolException e) {
                assertThat(e).hasMessageMatching("[a-z][^\\p{Cntrl}]+");
            }
        }
        assertThat(frames).isGreaterThan(messages);
        assertThat(messages).isPositive();
    }
}
