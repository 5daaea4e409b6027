package dev.mininccl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class BadUsageTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "perf --iters x         | '--iters': 'x': must be a whole number",
                "perf --itrs 3          | Unknown option: '--itrs'",
                "perf -n 0              | -n 0: must be 1 to",
                "perf --ranks           | '--ranks'",
                "perf --json /no/x.json | --json /no/x.json: must be a file that can be written",
                "perf --plot x.png      | --plot x.png: must end in .svg",
                "perf --transport x     | --transport x: must be auto,",
                "perf --compare jcuda   | --compare jcuda: JCuda binds the driver and has no collectives",
                "perf --compare nccl    | --compare nccl: the peers are in the module dev.mininccl.bench",
                "tune --ranks 1         | --ranks 1: must be 2 to 64",
                "tune -e x              | '--maxbytes'",
                "tune -o /no/x          | --output /no/x: must be in a folder that can be written",
                "tune --memory gpu      | --memory gpu: must be auto, host or cuda",
                "hera-master            | WORLD",
                "hera-master 0          | world 0: must be at least 1",
                "hera-master 2 --listen 0.0.0.0:0 | secret",
                "status host:x          | host:x: must be HOST or HOST:PORT",
                "perff                  | 'perff'",
            })
    void isExplained(String line, String message) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(line.split(" "));
        assertThat(status).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).startsWith("mini-nccl: ").contains(message).doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }
}
