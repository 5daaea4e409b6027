package dev.mininccl.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.cli.ExitStatus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SupervisorTest {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private int run(String... scripts) throws Exception {
        return new Supervisor(err, new Progress(err, Progress.Form.NONE))
                .run(scripts.length, rank -> List.of("sh", "-c", scripts[rank]));
    }

    @Test
    void wrongResultsAreAllRanksStatus() throws Exception {
        assertThat(run("exit 1", "sleep 0.2; exit 1")).isEqualTo(ExitStatus.WRONG);
        assertThat(run("exit 0", "exit 0")).isEqualTo(ExitStatus.RIGHT);
    }

    /** A JVM without threads or memory ends with 1, as a rank with wrong results does; the others would wait for it. */
    @Test
    void aRankThatCannotStartIsAFailureAndNamed() throws Exception {
        assertThat(run("exec sleep 60", "echo unable to create native thread >&2; exit 1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("rank 1 (process ", " ended with status 1", "rank 1 said: unable to create native thread");
    }
}
