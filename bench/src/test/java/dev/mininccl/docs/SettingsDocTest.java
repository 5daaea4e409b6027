package dev.mininccl.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.SettingsTable;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class SettingsDocTest {

    @Test
    void theTableInTheDocumentationIsTheOneInTheCode() throws Exception {
        assertThat(Files.readString(Path.of("..", "docs", "OPERATIONS.md")))
                .as("docs/OPERATIONS.md: paste what ./mini-nccl settings prints")
                .contains(SettingsTable.markdown());
    }
}
