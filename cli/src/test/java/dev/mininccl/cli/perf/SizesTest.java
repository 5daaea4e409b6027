package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizesTest {

    @Test
    void grow() {
        assertThat(Sizes.growing(8, 128L << 20, 2))
                .hasSize(25)
                .startsWith(8, 16)
                .endsWith(128L << 20);
        assertThat(Sizes.growing(3, 100, 3)).containsExactly(3, 9, 27, 81);
        assertThat(Sizes.growing(5, 5, 2)).containsExactly(5);
        assertThat(Sizes.growing(0, 4, 2)).containsExactly(0, 1, 2, 4);
    }

    @Test
    void step() {
        assertThat(Sizes.stepping(8, 24, 8)).containsExactly(8, 16, 24);
        assertThat(Sizes.stepping(0, 10, 4)).containsExactly(0, 4, 8);
        assertThat(Sizes.stepping(7, 7, 1)).containsExactly(7);
    }

    @Test
    void stopBeforeTheyOverflow() {
        assertThat(Sizes.growing(Long.MAX_VALUE / 2, Long.MAX_VALUE, 3)).containsExactly(Long.MAX_VALUE / 2);
        assertThat(Sizes.stepping(Long.MAX_VALUE - 1, Long.MAX_VALUE, 2)).containsExactly(Long.MAX_VALUE - 1);
    }

    @ParameterizedTest
    @CsvSource({"8, 8", "4k, 4096", "128M, 134217728", "1G, 1073741824", "2T, 2199023255552", "64KiB, 65536", "9b, 9"})
    void areRead(String text, long bytes) {
        assertThat(new ByteSize().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5M", "8X", "M", "99999999999999999999", "9999999999999999T"})
    void areRefused(String text) {
        assertThatThrownBy(() -> new ByteSize().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("must be a number of bytes");
    }

    @ParameterizedTest
    @CsvSource({"8, 8 B", "1024, 1 KiB", "1536, 1536 B", "134217728, 128 MiB", "0, 0 B"})
    void areShown(long bytes, String text) {
        assertThat(ByteSize.text(bytes)).isEqualTo(text);
    }
}
