package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WantedPortTest {

    private static List<WantedPort> of(String text) throws TransportUnavailableException {
        return WantedPort.of(Settings.defaults().with(Setting.NET_DEVICE, text));
    }

    @Test
    void listsKeepTheirOrder() throws TransportUnavailableException {
        assertThat(of("auto")).isEmpty();
        assertThat(of("rxe0")).containsExactly(new WantedPort("rxe0", 0));
        assertThat(of("mlx5_1:2, mlx5_0,mlx5_1:1"))
                .containsExactly(new WantedPort("mlx5_1", 2), new WantedPort("mlx5_0", 0), new WantedPort("mlx5_1", 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rxe0,", ",", ":1", "rxe0:", "rxe0:x", "rxe0:0", "rxe0:256", "rxe0:-1", "rxe0:1:1"})
    void malformedEntriesAreNamed(String text) {
        assertThatThrownBy(() -> of("rxe1," + text))
                .isInstanceOf(TransportUnavailableException.class)
                .hasMessageStartingWith("MINI_NCCL_NET_DEVICE=rxe1," + text + ": '")
                .hasMessageEndingWith("is not auto, DEVICE or DEVICE:PORT with a port of 1 to 255");
    }
}
