package dev.mininccl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupTest {

    @TempDir
    private Path root;

    private Cgroup cgroup() {
        return new Cgroup(new FakeFiles(root).files());
    }

    private void file(String name, String text) throws IOException {
        new FakeFiles(root).file(name, text);
    }

    @Test
    void nothingIsLimitedWhereNothingIsSaid() {
        assertThat(cgroup().processors()).isEmpty();
        assertThat(cgroup().memory()).isEmpty();
    }

    @Test
    void versionTwoTakesTheTightestOfTheWay() throws IOException {
        file("proc/self/cgroup", "0::/a/b\n");
        file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
        file("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
        file("sys/fs/cgroup/a/b/memory.max", "max\n");
        file("sys/fs/cgroup/memory.max", "1048576\n");
        assertThat(cgroup().processors()).hasValue(0.5);
        assertThat(cgroup().memory()).hasValue(1 << 20);
    }

    @Test
    void versionOneIsReadWhereTheContainerSeesItself() throws IOException {
        file("proc/self/cgroup", "7:cpu,cpuacct:/docker/1f\n5:memory:/docker/1f\n0::/\n");
        file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
        file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(cgroup().processors()).hasValue(1.5);
        assertThat(cgroup().memory()).isEmpty();
        file("sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "134217728\n");
        assertThat(cgroup().memory()).hasValue(128 << 20);
    }

    @Test
    void aGroupOutsideOfWhatIsMountedIsNoPath() throws IOException {
        file("proc/self/cgroup", "0::/../../elsewhere\n");
        file("sys/fs/cgroup/cpu.max", "200000 100000\n");
        assertThat(cgroup().processors()).hasValue(2);
    }
}
