package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VectorChoiceTest {

    /** What a child JVM runs; prints the reducers that were chosen. */
    static final class Child {
        private Child() {}

        /** Prints whether vectors are used where nothing is set. */
        public static void main(String[] arguments) {
            System.out.println("vectors=" + VectorChoice.vectors(Settings.from(System.getenv())));
        }
    }

    @Test
    void settingDecides() {
        assertThat(VectorChoice.vectors(Settings.defaults().with(Setting.REDUCER, "scalar")))
                .isFalse();
        assertThat(VectorChoice.vectors(Settings.defaults().with(Setting.REDUCER, "vector")))
                .isTrue();
    }

    @Test
    void scalarWithoutTheModule() throws Exception {
        assertThat(child("auto")).contains("vectors=false");
    }

    @Test
    void demandWithoutTheModuleIsRefused() throws Exception {
        assertThat(child("vector")).contains("MINI_NCCL_REDUCER=vector", "--add-modules jdk.incubator.vector");
    }

    @Test
    void scalarWhereVectorCodeIsNotCompiled() throws Exception {
        assertThat(child("auto", "--add-modules", "jdk.incubator.vector", "-XX:TieredStopAtLevel=1"))
                .contains("vectors=false");
    }

    private static String child(String reducer, String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of(flags));
        command.add("-cp");
        command.add(Stream.of(NativeMemory.class, Reducers.class, Child.class)
                .map(VectorChoiceTest::location)
                .collect(Collectors.joining(File.pathSeparator)));
        command.add(Child.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put(Setting.REDUCER.variable(), reducer);
        Process process = builder.start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static String location(Class<?> type) {
        String url = type.getResource(
                        type.getName().substring(type.getPackageName().length() + 1) + ".class")
                .toString();
        String root = url.substring(0, url.length() - type.getName().length() - ".class".length());
        // In a whole build the other modules are jars: jar:file:/…/x.jar!/
        String place = root.startsWith("jar:") ? root.substring("jar:".length(), root.length() - "!/".length()) : root;
        return Path.of(URI.create(place)).toString();
    }
}
