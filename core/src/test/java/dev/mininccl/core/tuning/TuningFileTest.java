package dev.mininccl.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuningFileTest {

    private static final String TEXT =
            "# why\nmini-nccl tuning 1\n[gpu ranks=2 host]\n 8  LL2 1 64 0 0\n\n16 shipped # x\n";

    @Test
    void sectionsHoldRows() {
        TuningFile file = TuningFile.parse("t", TEXT);
        assertThat(file.rows(TuningFile.gpuSection(2, "host")))
                .containsExactly(
                        new TuningFile.Row(8, "LL2 1 64 0 0", "t line 4"),
                        new TuningFile.Row(16, "shipped", "t line 6"));
        assertThat(file.rows(TuningFile.hostSection(2, false))).isEmpty();
        assertThat(file.rows(TuningFile.gpuSection(2, "host")).getLast().shipped())
                .isTrue();
    }

    @Test
    void hashesDifferWhereRowsDo() {
        String hash = TuningFile.parse("t", TEXT).hash();
        assertThat(hash).matches("[0-9a-f]{16}");
        assertThat(TuningFile.parse("u", TEXT.replace("# why", "").replace(" x", " y"))
                        .hash())
                .isEqualTo(hash);
        assertThat(TuningFile.parse("t", TEXT.replace("64", "96")).hash()).isNotEqualTo(hash);
        assertThat(TuningFile.none().hash()).isEqualTo("none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | must be a file that begins with",
                "'x' | t line 1, 'x': must be 'mini-nccl tuning 1'",
                "'mini-nccl tuning 1;8 shipped' | t line 2, '8 shipped': must be a section",
                "'mini-nccl tuning 1;[a];8' | t line 3, '8': must be BYTES WAY",
                "'mini-nccl tuning 1;[a];8 x;8 y' | t line 4, '8 y': must be BYTES WAY, with at least 9 bytes",
                "'mini-nccl tuning 1;[a];-8 x' | t line 3",
            })
    void mistakesAreNamed(String text, String message) {
        assertThatThrownBy(() -> TuningFile.parse("t", text.replace(";", "\n")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aSettingNamesTheFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("table");
        Settings settings = Settings.defaults().with(Setting.TUNING_FILE, file.toString());
        assertThatThrownBy(() -> TuningFile.of(settings))
                .hasMessageContaining("MINI_NCCL_TUNING_FILE=" + file + ": must be a file that can be read");
        Files.writeString(file, TEXT);
        assertThat(TuningFile.of(settings).hash())
                .isEqualTo(TuningFile.parse("t", TEXT).hash());
        assertThat(TuningFile.of(Settings.defaults()).toString()).isEqualTo("none");
    }
}
