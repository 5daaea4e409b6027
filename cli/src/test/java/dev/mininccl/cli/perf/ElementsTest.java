package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ElementsTest {

    private static long differing(float[] expected, float[] got, int ulps) {
        return Elements.differing(MemorySegment.ofArray(expected), MemorySegment.ofArray(got), DataType.FLOAT32, ulps);
    }

    @Test
    void equalBitsAreRight() {
        assertThat(differing(new float[] {1, 2, 3}, new float[] {1, 2, 3}, 0)).isZero();
    }

    @Test
    void everyWrongElementCounts() {
        assertThat(differing(new float[] {1, 2, 3, 4}, new float[] {1, 0, 3, 5}, 0))
                .isEqualTo(2);
    }

    @Test
    void nanIsWrong() {
        assertThat(differing(new float[] {1}, new float[] {Float.NaN}, 0)).isEqualTo(1);
        assertThat(differing(new float[] {1}, new float[] {Float.intBitsToFloat(-1)}, 1))
                .isEqualTo(1);
        double[] expected = {-1};
        double[] got = {Double.NaN};
        assertThat(Elements.differing(MemorySegment.ofArray(expected), MemorySegment.ofArray(got), DataType.FLOAT64, 1))
                .isEqualTo(1);
    }

    @Test
    void zerosOfBothSignsAreEqual() {
        assertThat(differing(new float[] {0f}, new float[] {-0f}, 0)).isZero();
    }

    @Test
    void unitsInTheLastPlaceCountAcrossZeroToo() {
        float[] expected = {1, -1, Float.MIN_VALUE};
        float[] next = {Math.nextUp(1f), Math.nextUp(-1f), 0};
        float[] second = {Math.nextUp(Math.nextUp(1f)), Math.nextDown(Math.nextDown(-1f)), -Float.MIN_VALUE};
        assertThat(differing(expected, next, 0)).isEqualTo(3);
        assertThat(differing(expected, next, 1)).isZero();
        assertThat(differing(expected, second, 1)).isEqualTo(3);
        assertThat(differing(expected, second, 2)).isZero();
    }

    @Test
    void integersHaveNoTolerance() {
        byte[] expected = {5, -1};
        byte[] got = {6, -1};
        for (DataType type : new DataType[] {DataType.INT8, DataType.UINT8}) {
            assertThat(Elements.differing(MemorySegment.ofArray(expected), MemorySegment.ofArray(got), type, 1))
                    .isEqualTo(1);
        }
    }

    @Test
    void halfPrecisionHasItsOwnUnits() {
        short one = Float.floatToFloat16(1f);
        short[] expected = {one, one};
        short[] got = {(short) (one + 1), (short) (one + 2)};
        assertThat(Elements.differing(MemorySegment.ofArray(expected), MemorySegment.ofArray(got), DataType.FLOAT16, 1))
                .isEqualTo(1);
    }
}
