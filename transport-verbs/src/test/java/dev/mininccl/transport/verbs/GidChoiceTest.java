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

    /** Tables may be longer than what queue pairs can name, and have gaps. */
    @Test
    void entriesBeyondAByteAreNoChoice() throws Exception {
        List<GidEntry> entries = List.of(
                entry(7, "fe80::1", GidEntry.Type.ROCE_V2),
                entry(255, "2001:db8::1", GidEntry.Type.ROCE_V2),
                entry(256, "10.0.0.1", GidEntry.Type.ROCE_V2));
        assertThat(GidChoice.best(entries, gid -> true).orElseThrow().index()).isEqualTo(255);
        assertThat(GidChoice.of(Settings.defaults().with(Setting.GID_INDEX, "256"), entries))
                .isEmpty();
    }

    /** The address of a VLAN, or a second one of an interface, is as good: the first entry is taken. */
    @Test
    void firstOfEqualsIsTaken() throws Exception {
        List<GidEntry> entries = List.of(
                entry(9, "10.0.0.3", GidEntry.Type.ROCE_V2),
                entry(5, "10.0.0.2", GidEntry.Type.ROCE_V2),
                entry(3, "10.1.0.2", GidEntry.Type.ROCE_V2));
        assertThat(GidChoice.best(entries, gid -> true).orElseThrow().index()).isEqualTo(3);
    }

    @Test
    void infiniBandTakesItsFirstEntry() throws Exception {
        List<GidEntry> entries = List.of(
                entry(0, "fe80::2:c903:1:2", GidEntry.Type.INFINIBAND),
                entry(1, "fd00::2:c903:1:2", GidEntry.Type.INFINIBAND));
        assertThat(GidChoice.best(entries, gid -> false).orElseThrow().index()).isZero();
    }

    @Test
    void indexThatIsSetWins() throws Exception {
        Settings two = Settings.defaults().with(Setting.GID_INDEX, "2");
        assertThat(GidChoice.of(two, entries()).orElseThrow().index()).isEqualTo(2);
        assertThat(GidChoice.of(two.with(Setting.GID_INDEX, "77"), entries())).isEmpty();
    }
}
