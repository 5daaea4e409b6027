package dev.mininccl.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandardErrorLoggersTest {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    private static System.Logger logger(String debug, String name) {
        return new StandardErrorLoggers(debug).getLogger(name, StandardErrorLoggersTest.class.getModule());
    }

    @ParameterizedTest
    @CsvSource({
        "OFF,, OFF",
        "ERROR, ERROR, WARNING",
        "warn, WARNING, INFO",
        "INFO, DEBUG, TRACE",
        "nonsense, WARNING, INFO"
    })
    void levelsFollowTheSetting(String debug, Level shown, Level hidden) {
        assertThat(shown == null || logger(debug, "mininccl.tcp").isLoggable(shown))
                .isTrue();
        assertThat(logger(debug, "mininccl.tcp").isLoggable(hidden)).isFalse();
    }

    @Test
    void othersOnlyWarn() {
        assertThat(logger("TRACE", "java.net").isLoggable(Level.INFO)).isFalse();
        assertThat(logger("TRACE", "java.net").isLoggable(Level.WARNING)).isTrue();
        assertThat(logger("OFF", "java.net").isLoggable(Level.ERROR)).isFalse();
    }

    @Test
    void oneLineAMessage() {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        System.Logger logger = logger("WARN", "mininccl.tcp");
        logger.log(Level.WARNING, "rank {0} of {1}", 1, 2);
        logger.log(Level.WARNING, "braces {0} stay");
        logger.log(Level.WARNING, "failed", new IllegalStateException("why"));
        logger.log(Level.INFO, "hidden");
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "WARNING mininccl.tcp: rank 1 of 2",
                        "WARNING mininccl.tcp: braces {0} stay",
                        "WARNING mininccl.tcp: failed: java.lang.IllegalStateException: why");
    }
}
