package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ErrorPumpTest {

    private static final String CHILD = """
            WARNING: Using incubator modules: jdk.incubator.vector
            WARNING mininccl.shm: something
            \u0001float sum 8 B: timing
            mini-nccl: rank 1: lost
            the end without a line break""";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream shown = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private ErrorPump pumped(PrintStream live, Progress.Form form) throws InterruptedException {
        var input = new ByteArrayInputStream(CHILD.getBytes(StandardCharsets.UTF_8));
        ErrorPump pump = new ErrorPump("perf-errors-test", input, live, new Progress(shown, form));
        pump.awaitEnd(Duration.ofSeconds(10));
        return pump;
    }

    @Test
    void errorsAreKeptAndTheRestIsShown() throws InterruptedException {
        ErrorPump pump = pumped(shown, Progress.Form.NONE);
        assertThat(pump.errors()).containsExactly("rank 1: lost");
        assertThat(pump.rest()).isEmpty();
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("WARNING mininccl.shm: something", "the end without a line break");
    }

    @Test
    void theRestIsKeptWhereNobodyWantsIt() throws InterruptedException {
        ErrorPump pump = pumped(null, Progress.Form.NONE);
        assertThat(pump.rest()).containsExactly("WARNING mininccl.shm: something", "the end without a line break");
        assertThat(bytes.size()).isZero();
    }

    @Test
    void progressGoesToTheTerminal() throws InterruptedException {
        pumped(null, Progress.Form.TERMINAL);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("\r\u001b[Kfloat sum 8 B: timing");
    }

    @Test
    void markedProgressIsALine() {
        new Progress(shown, Progress.Form.MARKED).show("x");
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("\u0001x\n");
    }
}
