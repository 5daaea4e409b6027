package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GidChoiceTest {

    private static GidEntry entry(int index, String address, GidEntry.Type type) throws UnknownHostException {
        return new GidEntry(1, index, Gid.of(InetAddress.getByName(address)), type, 2);
    }

    /** From worst to best. */
    private static List<GidEntry> entries() throws UnknownHostException {
        return List.of(
                entry(3, "10.0.0.1", GidEntry.Type.ROCE_V1),
                entry(0, "fe80::1", GidEntry.Type.ROCE_V2),
                entry(2, "2001:db8::1", GidEntry.Type.ROCE_V2),
                entry(5, "10.0.0.2", GidEntry.Type.ROCE_V2),
                entry(4, "10.0.0.1", GidEntry.Type.ROCE_V2));
    }

    @Test
    void bestIsRoceV2WithTheAddressOfAnInterface() throws Exception {
        List<GidEntry> left = new ArrayList<>(entries());
        while (!left.isEmpty()) {
            assertThat(GidChoice.best(
                            left, gid -> gid.gid().address().getHostAddress().equals("10.0.0.1")))
                    .contains(left.getLast());
            left.removeLast();
        }
        assertThat(GidChoice.best(left, gid -> true)).isEmpty();
    }

    @Test
    void emptyEntryIsNoChoice() {
        GidEntry empty = new GidEntry(1, 0, Gid.ZERO, GidEntry.Type.ROCE_V2, 0);
        assertThat(GidChoice.best(List.of(empty), gid -> true)).isEmpty();
    }

    @Test
    void indexThatIsSetWins() throws Exception {
        Settings two = Settings.defaults().with(Setting.GID_INDEX, "2");
        assertThat(GidChoice.of(two, entries()).orElseThrow().index()).isEqualTo(2);
        assertThat(GidChoice.of(two.with(Setting.GID_INDEX, "77"), entries())).isEmpty();
    }
}
