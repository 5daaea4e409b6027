package dev.mininccl.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The README's example is compiled and run by two processes. */
@Timeout(90)
class ReadmeTest {

    @TempDir
    private Path folder;

    @Test
    void theExampleWorks() throws Exception {
        Path source = folder.resolve("Example.java");
        Files.writeString(source, example());
        String classPath = System.getProperty("java.class.path");
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, messages, messages, "-d", folder.toString(), "-cp", classPath, source.toString());
        assertThat(compiled).as(messages.toString(StandardCharsets.UTF_8)).isZero();
        List<Process> ranks = new ArrayList<>();
        for (String rank : new String[] {"0", "1"}) {
            ranks.add(new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--add-modules",
                            "jdk.incubator.vector",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            folder + java.io.File.pathSeparator + classPath,
                            "Example",
                            rank)
                    .redirectError(folder.resolve("err" + rank).toFile())
                    .redirectOutput(folder.resolve("out" + rank).toFile())
                    .start());
        }
        for (int rank = 0; rank < 2; rank++) {
            assertThat(ranks.get(rank).waitFor(60, TimeUnit.SECONDS))
                    .as("rank " + rank + " ended")
                    .isTrue();
            assertThat(Files.readString(folder.resolve("out" + rank)))
                    .as(Files.readString(folder.resolve("err" + rank)))
                    .contains("rank " + rank + ": 6.0");
        }
    }

    private static String example() throws Exception {
        String readme = Files.readString(Path.of("..", "README.md"));
        int start = readme.indexOf("```java") + "```java".length();
        return readme.substring(start, readme.indexOf("```", start));
    }
}
