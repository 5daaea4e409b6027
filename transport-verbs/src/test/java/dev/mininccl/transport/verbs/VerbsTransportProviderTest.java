package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportProvider;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class VerbsTransportProviderTest {

    private final VerbsTransportProvider provider = new VerbsTransportProvider();

    @Test
    void isFound() {
        VerbsTransportProviderTest.class.getModule().addUses(TransportProvider.class);
        assertThat(ServiceLoader.load(TransportProvider.class))
                .anyMatch(found -> found.name().equals("verbs") && found.preference() == 30);
    }

    @Test
    void saysWhatIsMissingWithoutADevice() {
        try (DeviceList devices = DeviceList.open()) {
            assumeTrue(devices.devices().isEmpty(), () -> "there is " + devices.devices());
            assertThatThrownBy(() -> provider.open(new TransportContext(0, 2, 1, Settings.defaults(), null)))
                    .isInstanceOf(TransportUnavailableException.class)
                    .hasMessage(devices.reason().orElseThrow());
        }
    }

    @Test
    void tooManyLinksForAnAddressAreRefused() {
        assertThatThrownBy(() -> provider.open(new TransportContext(0, 1000, 8, Settings.defaults(), null)))
                .isInstanceOf(TransportUnavailableException.class)
                .hasMessageContaining("1000 ranks with 8 channels")
                .hasMessageContaining(Setting.CHANNELS.variable());
    }
}
