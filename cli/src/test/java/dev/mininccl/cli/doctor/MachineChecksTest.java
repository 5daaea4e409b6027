package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
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
    void lockedMemoryIsJudgedWhereRdmaNeedsIt() throws IOException {
        file("proc/self/limits", "Max locked memory         8388608              8388608              bytes\n");
        assertThat(machine().lockedMemory().level()).isEqualTo(Finding.Level.OK);
        Files.createDirectories(root.resolve("sys/class/infiniband/rxe0"));
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
        assertThat(machine().crossMemory().level()).as("ranks allow each other").isEqualTo(Finding.Level.OK);
        file("proc/sys/kernel/yama/ptrace_scope", "2\n");
        assertThat(machine().crossMemory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().crossMemory().fix()).contains("ptrace_scope=1", "SYS_PTRACE");
        file("proc/self/status", "CapPrm:\t0\nCapEff:\t0000000000080000\n");
        assertThat(machine().crossMemory().level()).isEqualTo(Finding.Level.OK);
        file("proc/sys/kernel/yama/ptrace_scope", "3\n");
        assertThat(machine().crossMemory().level()).isEqualTo(Finding.Level.WARN);
    }

    @Test
    void quotaBelowTheCoresIsJudged() throws IOException {
        Assumptions.assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "one core is told before any quota");
        file("proc/self/cgroup", "0::/pod/rank\n");
        file("sys/fs/cgroup/pod/rank/cpu.max", "max 100000\n");
        assertThat(machine().cpu().level()).isEqualTo(Finding.Level.OK);
        file("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
        assertThat(machine().cpu().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().cpu().text()).contains("quota of 1.5 core(s)");
        assertThat(machine().cpu().fix()).contains("at most 1 ranks");
    }

    @Test
    void smallContainerIsNamed() throws IOException {
        assertThat(machine().memory().level()).isEqualTo(Finding.Level.OK);
        file("proc/self/cgroup", "5:memory:/docker/1f\n0::/\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
        assertThat(machine().memory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().memory().text()).contains("container limit of 128 MiB");
    }

    @Test
    void sharedMemoryIsMissing() throws IOException {
        assertThat(machine().sharedMemory().level()).isEqualTo(Finding.Level.WARN);
        assertThat(machine().sharedMemory().fix()).contains("--shm-size");
        Files.createDirectories(root.resolve("dev/shm"));
        assertThat(machine().sharedMemory().text()).contains("/dev/shm has ");
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
        assertThat(ProcessChecks.hostPath(Settings.defaults()).level()).isEqualTo(Finding.Level.OK);
        assertThat(ProcessChecks.nativeAccess().level()).isEqualTo(Finding.Level.OK);
    }

    @Test
    void hostPathTellsWhatWasNotTaken() {
        Assumptions.assumeTrue(
                Rdma.look(Settings.defaults()).devices().isEmpty(), "here RDMA devices exist, so verbs is not missing");
        Finding found = ProcessChecks.hostPath(Settings.defaults().with(Setting.TRANSPORT, "verbs,unix"));
        assertThat(found.level()).isEqualTo(Finding.Level.OK);
        assertThat(found.text()).contains(" by unix, ", "; no verbs here: ");
    }
}
