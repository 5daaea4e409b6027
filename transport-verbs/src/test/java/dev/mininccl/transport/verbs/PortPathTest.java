package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.ibverbs.Gid;
import dev.mininccl.bindings.ibverbs.GidEntry;
import dev.mininccl.bindings.ibverbs.Mtu;
import dev.mininccl.bindings.ibverbs.PortAttributes;
import dev.mininccl.bindings.ibverbs.PortAttributes.LinkLayer;
import dev.mininccl.bindings.ibverbs.RemotePath;
import org.junit.jupiter.api.Test;

/** How a peer is reached, by the kind of port; needs no device. */
class PortPathTest {

    private static final Gid PEER = new Gid(0xfe80_0000_0000_0000L, 0x2c9_0300_0001L);
    private static final int LID = 17;

    private static Port port(LinkLayer layer, boolean routed, Mtu mtu) {
        PortAttributes attributes =
                new PortAttributes(2, PortAttributes.State.ACTIVE, Mtu.B4096, mtu, 5, layer, routed, 8, 1 << 30, 2, 64);
        return new Port(null, attributes, new GidEntry(2, 3, Gid.ZERO, GidEntry.Type.INFINIBAND, 0));
    }

    @Test
    void infiniBandGoesByLocalIdentifier() {
        assertThat(port(LinkLayer.INFINIBAND, false, Mtu.B2048).path(PEER, LID, Mtu.B4096))
                .isEqualTo(new RemotePath(2, -1, PEER, LID, Mtu.B2048, 0, 0));
    }

    @Test
    void infiniBandThatNeedsARouteHasBoth() {
        assertThat(port(LinkLayer.INFINIBAND, true, Mtu.B4096).path(PEER, LID, Mtu.B256))
                .isEqualTo(new RemotePath(2, 3, PEER, LID, Mtu.B256, 0, 0));
    }

    @Test
    void ethernetGoesByGid() {
        assertThat(port(LinkLayer.ETHERNET, false, Mtu.B1024).path(PEER, 0, Mtu.B4096))
                .isEqualTo(new RemotePath(2, 3, PEER, 0, Mtu.B1024, 0, 0));
    }
}
