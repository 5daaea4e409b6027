package dev.mininccl.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.InvalidCallException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class SettingsTest {

    @Test
    void theSeedsSettingsKeepTheirNamesAndDefaults() {
        Settings settings = Settings.defaults();
        assertThat(Setting.NET_DEVICE.variable()).isEqualTo("MINI_NCCL_NET_DEVICE");
        assertThat(settings.text(Setting.NET_DEVICE)).isEqualTo("auto");
        assertThat(settings.integer(Setting.ofVariable("MINI_NCCL_SLICE_SIZE"))).isEqualTo(131072);
        assertThat(settings.integer(Setting.ofVariable("MINI_NCCL_WINDOW_SIZE")))
                .isEqualTo(64);
        assertThat(settings.integer(Setting.ofVariable("MINI_NCCL_SIGNAL_BATCH")))
                .isEqualTo(16);
    }

    @Test
    void everyDefaultIsInItsRange() {
        Settings settings = Settings.defaults();
        for (Setting setting : Setting.values()) {
            assertThat(settings.with(setting, setting.byDefault()).text(setting))
                    .isEqualTo(settings.text(setting));
        }
    }

    @Test
    void aBadValueIsRefusedWithTheRange() {
        assertThatThrownBy(() -> Settings.from(Map.of("MINI_NCCL_SLOTS", "1")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("MINI_NCCL_SLOTS=1")
                .hasMessageContaining("2 to 64");
        assertThatThrownBy(() -> Settings.from(Map.of("MINI_NCCL_TIMEOUT", "soon")))
                .hasMessageContaining("soon");
        assertThatThrownBy(() -> Settings.from(Map.of("MINI_NCCL_REDUCER", "gpu")))
                .hasMessageContaining("auto|vector|scalar");
        assertThatThrownBy(() -> Settings.from(Map.of("MINI_NCCL_SLICE_SIZE", "9999999999G")))
                .hasMessageContaining("SLICE_SIZE");
    }

    @Test
    void valuesHaveUnits() {
        Settings settings = Settings.from(
                Map.of("MINI_NCCL_SLICE_SIZE", "64K", "MINI_NCCL_TIMEOUT", "250", "MINI_NCCL_REPRODUCIBLE", "1"));
        assertThat(settings.number(Setting.SLICE_SIZE)).isEqualTo(65536);
        assertThat(settings.duration(Setting.TIMEOUT)).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.flag(Setting.REPRODUCIBLE)).isTrue();
    }

    @Test
    void anUnknownNameIsMetWithTheNearestKnownOne() {
        assertThat(Unknown.warnings(List.of(
                        "MINI_NCCL_SLICESIZE", "PATH", "MINI_NCCL_SLOTS", "MINI_NCCL_BUILD", "MINI_NCCL_JAVA_HOME")))
                .singleElement()
                .asString()
                .contains("MINI_NCCL_SLICESIZE")
                .contains("did you mean MINI_NCCL_SLICE_SIZE");
    }

    @Test
    void theTableNamesEverySetting() {
        for (Setting setting : Setting.values()) {
            assertThat(SettingsTable.markdown()).contains(setting.variable());
            assertThat(SettingsTable.inForce(Settings.defaults())).contains(setting.variable() + "=");
        }
    }

    @Test
    void aRefusalEndsWithTheRange() {
        assertThatThrownBy(() -> Settings.defaults().with(Setting.REPRODUCIBLE, "yes"))
                .isInstanceOf(InvalidCallException.class)
                .hasMessage("MINI_NCCL_REPRODUCIBLE=yes: must be 0 or 1");
    }
}
