package dev.mininccl.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {

    @TempDir
    private Path folder;

    @Test
    void isReadWithoutTheSpaceAroundIt() throws IOException {
        Path file = Files.writeString(folder.resolve("token"), " open sesame\n");
        assertThat(Secret.read(file)).asString().isEqualTo("open sesame");
    }

    @Test
    void mustBeThere() throws IOException {
        Path empty = Files.writeString(folder.resolve("empty"), "\n");
        assertThatThrownBy(() -> Secret.read(empty))
                .hasMessage("--token-file " + empty + ": must hold a secret, but is empty");
        assertThatThrownBy(() -> Secret.read(folder.resolve("absent")))
                .hasMessageStartingWith(
                        "--token-file " + folder.resolve("absent") + ": must be a file that can be read");
    }
}
