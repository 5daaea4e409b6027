package dev.mininccl.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HostsTest {

    private static final Settings AUTO = Settings.defaults();

    private static Hosts hosts(int cores, String... names) {
        List<HostInfo> all =
                Stream.of(names).map(name -> new HostInfo(name, name, 1, cores)).toList();
        return new Hosts(all, 0);
    }

    @Test
    void channelsGoByCoresAndByWhatLiesBetween() {
        assertThat(hosts(2, "a", "a").channels(AUTO)).isEqualTo(1);
        assertThat(hosts(32, "a", "a").channels(AUTO)).isEqualTo(4);
        assertThat(hosts(32, "a", "a").channels(AUTO.with(Setting.TRANSPORT, "tcp")))
                .isEqualTo(12);
        assertThat(hosts(32, "a", "a").channels(AUTO.with(Setting.TRANSPORT, "shm,tcp")))
                .isEqualTo(4);
        assertThat(hosts(8, "a", "b").channels(AUTO)).isEqualTo(6);
        assertThat(hosts(4, "a", "b").channels(AUTO)).isEqualTo(4);
        assertThat(hosts(64, "a", "b", "a", "b", "a", "b", "a", "b").channels(AUTO))
                .isEqualTo(6);
        assertThat(hosts(64, "a", "b").channels(AUTO.with(Setting.CHANNELS, "3")))
                .isEqualTo(3);
    }

    @Test
    void containersOfOneMachineShareItsCores() {
        HostInfo one = new HostInfo("web-1", "boot", 1, 2);
        HostInfo other = new HostInfo("web-2", "boot", 1, 2);
        HostInfo third = new HostInfo("web-3", "boot", 1, 2);
        assertThat(new Hosts(List.of(one, other), 0).crowded(AUTO)).isFalse();
        assertThat(new Hosts(List.of(one, other, third), 0).crowded(AUTO)).isTrue();
        assertThat(new HostInfo("a", "unknown", 1, 2).sameMachine(new HostInfo("b", "unknown", 1, 2)))
                .as("where the kernel does not tell, names must")
                .isFalse();
    }
}
