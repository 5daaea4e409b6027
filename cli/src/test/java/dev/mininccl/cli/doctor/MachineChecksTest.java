package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineChecksTest {

    @TempDir
    private Path root;

    private MachineChecks machine() {
        return new MachineChecks(new SystemFiles(root));
    }

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void cpuIsNamed() throws IOException {
        file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast One\nflags\t\t: sse avx2 fma\n");
        assertThat(machine().cpu().text()).startsWith("Fast One, ").endsWith("AVX2");
    }

    @Test
    void lockedMemoryIsJudged() throws IOException {
        file("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n");
        assertThat(machine().lockedMemory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().lockedMemory().text()).startsWith("8 MiB");
        assertThat(machine().lockedMemory().fix()).contains("ulimit -l unlimited");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");
        assertThat(machine().lockedMemory().level()).isEqualTo(Finding.Level.OK);
    }

    @Test
    void ptraceScopeIsJudged() throws IOException {
        assertThat(machine().crossMemory().level()).isEqualTo(Finding.Level.OK);
        file("proc/sys/kernel/yama/ptrace_scope", "1\n");
        assertThat(machine().crossMemory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().crossMemory().fix()).contains("ptrace_scope=0");
    }

    @Test
    void sharedMemoryIsMissing() throws IOException {
        assertThat(machine().sharedMemory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().sharedMemory().fix()).contains("--shm-size");
        Files.createDirectories(root.resolve("dev/shm"));
        assertThat(machine().sharedMemory().text()).startsWith("/dev/shm has ");
    }

    @Test
    void nodesAreCounted() throws IOException {
        file("sys/devices/system/node/node0/cpulist", "0");
        file("sys/devices/system/node/node1/cpulist", "1");
        file("sys/devices/system/node/possible", "0-1");
        assertThat(machine().numa().text()).startsWith("2 nodes");
    }

    @Test
    void hostPathWorksHere() {
        assertThat(ProcessChecks.hostPath().level()).isEqualTo(Finding.Level.OK);
        assertThat(ProcessChecks.nativeAccess().level()).isEqualTo(Finding.Level.OK);
    }
}
