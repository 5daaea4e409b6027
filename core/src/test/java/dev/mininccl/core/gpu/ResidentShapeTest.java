package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResidentShapeTest {
    private static final int MOST_THREADS = 1024;

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "8, 1",
        "16384, 1",
        "16385, 2",
        "65536, 4",
        "262144, 16",
        "524288, 16",
        "9223372036854775800, 16"
    })
    void takesAnotherBlockOnceTheLastIsFull(long bytes, int blocks) {
        assertThat(new ResidentShape(16, 512, 4).partakers(bytes)).isEqualTo(blocks);
    }

    @ParameterizedTest
    @CsvSource({"70, 80, 2048", "75, 30, 1024", "120, 6, 1536", "90, 132, 2048"})
    void shippedShapesRunAtOnceOnAPartOfTheDevice(int capability, int multiprocessors, int threads) {
        ResidentShape shape = ResidentShape.shipped(new GpuClass(capability, multiprocessors, threads));
        assertThat(shape.threads() % 32).isZero();
        assertThat(shape.threads() + Family.LL2.extraThreads()).isLessThanOrEqualTo(MOST_THREADS);
        assertThat(shape.blocks()).isBetween(1, Math.max(1, multiprocessors / 8));
    }
}
