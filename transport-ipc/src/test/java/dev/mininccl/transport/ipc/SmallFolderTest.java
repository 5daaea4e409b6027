package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where containers get 64 MiB or less: a file system in memory that is too small. Needs the right to mount one. */
@Timeout(60)
class SmallFolderTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void mount() throws Exception {
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=256k,mode=1777", "tmpfs", folder.toString());
        assumeThat(mounted).as("may mount a tmpfs").isTrue();
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", folder.toString());
    }

    private static boolean run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Test
    void bothRanksLearnSoonAndNothingStays() throws Exception {
        try (Pair pair = new Pair(new ShmTransportProvider(folder), 1, Settings.defaults())) {
            Pair.Verdicts verdicts = pair.attach(Deadline.after(Duration.ofHours(1)));
            assertThat(verdicts.ofZero())
                    .contains("ENOSPC", folder.toString(), "B are needed", "docker run --shm-size=2m");
            assertThat(verdicts.ofOne()).contains("the peer could not make the shared file");
            pair.zero.settled();
            pair.one.settled();
            assertThat(files()).isZero();
        }
    }

    @Test
    void windowThatDoesNotFitIsRefused() throws Exception {
        try (Pair pair = new Pair(new ShmTransportProvider(folder), 1, Settings.defaults())) {
            assertThatThrownBy(() -> pair.zero.windows().orElseThrow().create(5 << 20))
                    .isInstanceOf(TransportUnavailableException.class)
                    .hasMessageContaining("10485760 B are needed")
                    .hasMessageContaining("--shm-size=11m");
            assertThat(files()).isZero();
        }
    }

    private long files() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }
}
