package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowTest {

    @ParameterizedTest
    @CsvSource({"64,16,64,16", "1,1,2,1", "1,4096,2,1", "3,16,3,1", "8,16,8,4", "4096,1,4096,1"})
    void leavesRoomForTheNextReport(String window, String batch, int expectedWindow, int expectedBatch) {
        Settings settings =
                Settings.defaults().with(Setting.WINDOW_SIZE, window).with(Setting.SIGNAL_BATCH, batch);
        assertThat(Flow.of(settings)).isEqualTo(new Flow(expectedWindow, expectedBatch));
    }

    @ParameterizedTest
    @CsvSource({"64,16,32768,64,16", "4096,16,4096,4032,16", "64,16,80,16,8", "64,16,16,2,1"})
    void staysWithinTheDevicesQueues(int window, int batch, int requests, int expectedWindow, int expectedBatch) {
        assertThat(new Flow(window, batch).within(requests)).isEqualTo(new Flow(expectedWindow, expectedBatch));
    }

    @Test
    void retriesFollowTheDeadlineBetweenBounds() {
        assertThat(Retries.within(Duration.ofMillis(1)).timeout()).isEqualTo(16);
        assertThat(Retries.within(Duration.ofSeconds(3)).timeout()).isEqualTo(17);
        assertThat(Retries.within(Duration.ofMinutes(1)).timeout()).isEqualTo(18);
        assertThat(Retries.within(Duration.ofMinutes(1)).count()).isEqualTo(6);
    }
}
