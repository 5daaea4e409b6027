package dev.mininccl.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class SharesTest {

    @RepeatedTest(200)
    void segmentsFitAndSharesAreAligned() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int size = 1 << random.nextInt(4);
        long half = Shares.segmentBytes((1 << 20) + random.nextInt(1 << 26));
        long count = 1 + (random.nextLong() >>> (20 + random.nextInt(43)));
        long segment = Shares.segment(count, size, half);
        assertThat(segment * size).isLessThanOrEqualTo(half).isPositive();
        assertThat(count <= segment || segment % 64 == 0).isTrue();
        int channels = Shares.channels(segment * size, segment, 1 + random.nextInt(64), 128 << 10);
        long share = Shares.share(segment, channels);
        long last = segment - share * (channels - 1);
        assertThat(last).isPositive().isLessThan(share + channels);
        assertThat(channels == 1 || share % 64 == 0).isTrue();
    }

    @Test
    void segmentsAreFewAndNearlyEqual() {
        long half = Shares.segmentBytes(64 << 20);
        assertThat(half).isEqualTo(32 << 20);
        assertThat(Shares.segment(8 << 20, 4, half)).isEqualTo(8 << 20);
        assertThat(Shares.segment((8 << 20) + 1, 4, half)).isEqualTo((4 << 20) + 64);
    }

    @RepeatedTest(100)
    void partsOfAnyNumberOfRanksFitAndNoShareIsEmpty() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int parts = 1 + random.nextInt(300);
        int size = 1 << random.nextInt(4);
        long half = Shares.segmentBytes((1 << 20) + random.nextInt(1 << 26));
        long count = 1 + (random.nextLong() >>> (20 + random.nextInt(43)));
        long segment = Shares.segment(count, size * parts, half);
        assertThat(segment * size * parts).isLessThanOrEqualTo(half).isPositive();
        int channels = Shares.channels(segment * size * parts, segment, 1 + random.nextInt(64), 128 << 10);
        long share = Shares.share(segment, channels);
        assertThat(segment - share * (channels - 1)).isPositive().isLessThanOrEqualTo(share + channels);
    }

    @Test
    void aChannelMoreNeedsAShareMore() {
        assertThat(Shares.channels(100, 1 << 20, 8, 1000)).isEqualTo(1);
        assertThat(Shares.channels(1999, 1 << 20, 8, 1000)).isEqualTo(1);
        assertThat(Shares.channels(2000, 1 << 20, 8, 1000)).isEqualTo(2);
        assertThat(Shares.channels(1_000_000, 1 << 20, 8, 1000)).isEqualTo(8);
    }
}
