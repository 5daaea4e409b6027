package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.NativeAccess;
import java.io.File;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person reads whose JVM denies native access. */
@Timeout(60)
class DeniedNativeAccessTest {

    /** The program of that person. */
    static final class Program {
        public static void main(String[] args) {
            Communicator.local(2);
        }
    }

    @Test
    void theFlagIsNamed() throws Exception {
        String classes = Stream.of(NativeAccess.class, Communicator.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .map(location -> Path.of(location.getPath()).toString())
                .collect(Collectors.joining(File.pathSeparator));
        // Surefire patches tests into the module, so their code source is the module's.
        String tests = Path.of("target", "test-classes").toString();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--illegal-native-access=deny",
                        "-cp",
                        classes + File.pathSeparator + tests,
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        try (var output = process.inputReader()) {
            assertThat(output.lines().toList())
                    .first()
                    .asString()
                    .contains(ProcessException.class.getName(), "add the JVM flag --enable-native-access=ALL-UNNAMED");
        } finally {
            process.waitFor();
        }
    }
}
