package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.Mtu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerbsAddressTest {

    private static final Endpoint FIRST = new Endpoint(17, 0xffffff, -3, 0x7f00_0000_1000L);
    private static final Endpoint SECOND = new Endpoint(18, 0, 5, 0x7f00_0010_0000L);

    private static VerbsAddress address(SlabLayout layout, boolean... ethernet) {
        List<RailAddress> rails = new ArrayList<>();
        for (boolean one : ethernet) {
            rails.add(new RailAddress(new Gid(0, 0xffff_0a63_0001L), rails.size(), Mtu.B4096, one));
        }
        return new VerbsAddress(rails, layout, 2, List.of(List.of(FIRST, SECOND), List.of(), List.of(SECOND, FIRST)));
    }

    private static VerbsAddress address() {
        return address(new SlabLayout(4, 4096), true, true);
    }

    @Test
    void comesBack() {
        assertThat(VerbsAddress.decode(address().encode(), 1)).isEqualTo(address());
    }

    @Test
    void malformedIsRefused() {
        byte[] bytes = address().encode();
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> VerbsAddress.decode(cut, 1)).isInstanceOf(IllegalArgumentException.class);
        }
        bytes[3]++;
        assertThatThrownBy(() -> VerbsAddress.decode(bytes, 1)).hasMessageContaining("format 3");
    }

    @Test
    void differencesAreNamed() {
        assertThat(address().whyNot(address())).isNull();
        assertThat(address().whyNot(address(new SlabLayout(5, 4096), true)))
                .isEqualTo("lanes differ: 2 x 4 slots of 4096 B here, 2 x 5 slots of 4096 B there");
    }

    @Test
    void ranksMayHaveDifferentNumbersOfPorts() {
        VerbsAddress one = address(new SlabLayout(4, 4096), true);
        assertThat(address().whyNot(one)).isNull();
        assertThat(one.whyNot(address())).isNull();
        assertThat(one.rail(1)).isEqualTo(one.rail(0));
        assertThat(address().rail(1)).isNotEqualTo(address().rail(0));
    }

    @Test
    void pingsTellConnectionsApart() {
        assertThat(FIRST.ping(0)).isNotZero().isNotEqualTo(SECOND.ping(0)).isNotEqualTo(FIRST.ping(1));
    }
}
