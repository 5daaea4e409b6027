package dev.mininccl.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.denied.DeniedProbe;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person reads whose JVM denies native access, from the module path and from the class path. */
@Timeout(60)
class NativeAccessTest {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    @Test
    void granted() {
        assertThat(NativeAccess.granted()).isTrue();
        assertThat(NativeAccess.denied()).isFalse();
        assertThat(NativeAccess.advice()).isEmpty();
    }

    @Test
    void moduleIsNamedInTheFlag() throws Exception {
        List<String> lines = probe("-p", classes(NativeAccess.class), "--add-modules", "dev.mininccl.bindings");
        assertNamesFlag(lines, "--enable-native-access=dev.mininccl.bindings");
    }

    @Test
    void classPathHasItsOwnFlag() throws Exception {
        assertNamesFlag(probe(), "--enable-native-access=ALL-UNNAMED");
    }

    private static void assertNamesFlag(List<String> lines, String flag) {
        String advice = "native access is not enabled; add the JVM flag " + flag;
        assertThat(lines)
                .containsExactly(
                        "denied true",
                        "libc absent: " + advice,
                        "libibverbs.so.1 absent: " + advice,
                        "libcuda.so.1 absent: " + advice,
                        "all 0",
                        "gettid cannot be called: libc is absent: " + advice);
    }

    private static List<String> probe(String... modules) throws Exception {
        List<String> command = new ArrayList<>(List.of(JAVA.toString(), "--illegal-native-access=deny"));
        command.addAll(List.of(modules));
        String path = modules.length == 0 ? classes(NativeAccess.class) + File.pathSeparator : "";
        command.addAll(List.of("-cp", path + testClasses(), DeniedProbe.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var output = process.inputReader()) {
            return output.lines().toList();
        } finally {
            process.waitFor();
        }
    }

    private static String classes(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    /** Surefire patches tests into the module, so their code source is the module's. */
    private static String testClasses() throws Exception {
        return Path.of(classes(NativeAccess.class))
                .resolveSibling("test-classes")
                .toString();
    }
}
