package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DeviceListTest {
    @Test
    void thereAreDevicesOrAReason() {
        DeviceList list = DeviceList.open();
        assertThat(list.devices().isEmpty()).isEqualTo(list.reason().isPresent());
        list.reason().ifPresent(reason -> assertThat(reason).containsAnyOf("rdma link add", "install", "flag"));
        assertThat(list.find("no such device")).isEmpty();
        list.close();
        list.close();
    }
}
