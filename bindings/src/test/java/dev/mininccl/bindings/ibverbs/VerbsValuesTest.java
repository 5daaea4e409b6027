package dev.mininccl.bindings.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_async_event;
import dev.mininccl.bindings.ibverbs.gen.ibv_port_attr;
import dev.mininccl.bindings.posix.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that need neither library nor device. */
@Timeout(20)
class VerbsValuesTest {
    @Test
    void statusTextsAreTheLibrarys() {
        assumeTrue(NativeLibraries.ibverbs().present(), () -> "" + NativeLibraries.ibverbs());
        for (int code = 0; code <= IbvConstants.IBV_WC_GENERAL_ERR(); code++) {
            assertThat(WorkStatus.of(code).text())
                    .isEqualTo(Ibv.ibv_wc_status_str(code).getString(0));
        }
    }

    @Test
    void statusCodesAreTheHeaders() {
        assertThat(WorkStatus.of(IbvConstants.IBV_WC_WR_FLUSH_ERR())).isEqualTo(WorkStatus.FLUSHED);
        assertThat(WorkStatus.of(IbvConstants.IBV_WC_REM_ACCESS_ERR())).isEqualTo(WorkStatus.REMOTE_ACCESS);
        assertThat(WorkStatus.of(IbvConstants.IBV_WC_GENERAL_ERR())).isEqualTo(WorkStatus.GENERAL);
        assertThat(WorkStatus.of(1000)).isEqualTo(WorkStatus.UNKNOWN);
        assertThat(WorkStatus.of(-1)).isEqualTo(WorkStatus.UNKNOWN);
        assertThat(WorkStatus.RETRY_EXCEEDED.hint()).contains("4791");
    }

    @Test
    void eventCodesAreTheHeaders() {
        assertThat(AsyncEvent.Type.of(IbvConstants.IBV_EVENT_PORT_ERR())).isEqualTo(AsyncEvent.Type.PORT_ERROR);
        assertThat(AsyncEvent.Type.of(IbvConstants.IBV_EVENT_GID_CHANGE())).isEqualTo(AsyncEvent.Type.GID_CHANGE);
        assertThat(AsyncEvent.Type.of(IbvConstants.IBV_EVENT_DEVICE_FATAL()).fatal())
                .isTrue();
        assertThat(AsyncEvent.Type.of(99)).isEqualTo(AsyncEvent.Type.UNKNOWN);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = ibv_async_event.allocate(arena);
            ibv_async_event.event_type(event, IbvConstants.IBV_EVENT_PORT_ACTIVE());
            ibv_async_event.element.port_num(ibv_async_event.element(event), 2);
            assertThat(AsyncEvent.read(event)).isEqualTo(new AsyncEvent(AsyncEvent.Type.PORT_ACTIVE, 2, 0, 0));
        }
    }

    @Test
    void stateAndMtuCodesAreTheHeaders() {
        assertThat(QueuePair.State.of(IbvConstants.IBV_QPS_RTS())).isEqualTo(QueuePair.State.RTS);
        assertThat(QueuePair.State.of(IbvConstants.IBV_QPS_ERR())).isEqualTo(QueuePair.State.ERR);
        assertThat(Mtu.of(IbvConstants.IBV_MTU_4096()).bytes()).isEqualTo(4096);
        assertThat(Mtu.of(IbvConstants.IBV_MTU_256()).bytes()).isEqualTo(256);
        assertThat(Mtu.B1024.min(Mtu.B4096)).isEqualTo(Mtu.B1024.min(Mtu.B1024));
        assertThatThrownBy(() -> Mtu.of(0)).hasMessage("MTU code 0 is not in 1..5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.99.0.1", "fe80:0:0:0:aff:fe63:1:2", "0:0:0:0:0:0:0:1"})
    void gidIsAnAddressInWireOrder(String text) {
        InetAddress address = InetAddress.ofLiteral(text);
        Gid gid = Gid.of(address);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(20);
            gid.write(memory, 4);
            assertThat(Gid.read(memory, 4)).isEqualTo(gid);
            byte[] raw = memory.asSlice(4).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            assertThat(raw).endsWith(address.getAddress());
        }
        assertThat(gid.address()).isEqualTo(address);
        assertThat(gid.isIpv4Mapped()).isEqualTo(text.startsWith("10."));
        assertThat(gid).hasToString(text.startsWith("10.") ? "::ffff:" + text : text);
        assertThat(gid.isZero()).isFalse();
        assertThat(Gid.ZERO.isZero()).isTrue();
    }

    @Test
    void portAttributesAreRead() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = ibv_port_attr.allocate(arena);
            ibv_port_attr.state(raw, IbvConstants.IBV_PORT_ACTIVE());
            ibv_port_attr.max_mtu(raw, 5);
            ibv_port_attr.active_mtu(raw, 3);
            ibv_port_attr.lid(raw, (short) 0xfffe);
            ibv_port_attr.link_layer(raw, (byte) IbvConstants.IBV_LINK_LAYER_ETHERNET());
            ibv_port_attr.max_msg_sz(raw, -1);
            ibv_port_attr.active_width(raw, (byte) 2);
            ibv_port_attr.active_speed(raw, (byte) 64);
            PortAttributes port = PortAttributes.read(1, raw);
            assertThat(port.active()).isTrue();
            assertThat(port.activeMtu()).isEqualTo(Mtu.B1024);
            assertThat(port.lid()).isEqualTo(0xfffe);
            assertThat(port.linkLayer()).isEqualTo(PortAttributes.LinkLayer.ETHERNET);
            assertThat(port.maxMessageBytes()).isEqualTo(0xffffffffL);
            assertThat(port.gigabits()).isEqualTo(200);
        }
    }

    /** A port that is down may say 0, and Omni-Path knows 8 and 10 KiB. */
    @Test
    void mtusThatQueuePairsDoNotKnowAreTheNearestOnes() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = ibv_port_attr.allocate(arena);
            ibv_port_attr.max_mtu(raw, 7);
            ibv_port_attr.flags(raw, (byte) IbvConstants.IBV_QPF_GRH_REQUIRED());
            PortAttributes port = PortAttributes.read(1, raw);
            assertThat(port.maxMtu()).isEqualTo(Mtu.B4096);
            assertThat(port.activeMtu()).isEqualTo(Mtu.B256);
            assertThat(port.routed()).isTrue();
            assertThat(port.linkLayer()).isEqualTo(PortAttributes.LinkLayer.INFINIBAND);
        }
    }

    /** Width and speed as verbs code them: QDR, FDR10, FDR, EDR, HDR, NDR on four lanes, and a single one. */
    @ParameterizedTest
    @CsvSource({"2,4,40", "2,8,40", "2,16,56", "2,32,100", "2,64,200", "2,128,400", "1,32,25", "16,64,100", "8,1,30"})
    void ratesAreThoseOfTheLanes(byte width, int speed, int gigabits) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment raw = ibv_port_attr.allocate(arena);
            ibv_port_attr.active_width(raw, width);
            ibv_port_attr.active_speed(raw, (byte) speed);
            assertThat(PortAttributes.read(1, raw).gigabits()).isEqualTo(gigabits);
        }
    }

    @Test
    void rangesAreChecked() {
        assertThatThrownBy(() -> new Retry(32, 7, 7)).hasMessage("timeout 32 is not in 0..31");
        assertThatThrownBy(() -> new Retry(14, 8, 7)).hasMessage("count 8 is not in 0..7");
        assertThatThrownBy(() -> new RemotePath(0, 0, Gid.ZERO, 0, Mtu.B256, 0, 0))
                .hasMessage("port 0 is not in 1..255");
        assertThatThrownBy(() -> new QueuePairOptions(null, null, 0, 0, 0, false))
                .hasMessage("maxSends 0 is not 1 or more");
    }

    @Test
    void dialectsThrowWithNumberAndHint() {
        assertThatThrownBy(() -> Dialects.errorValue(Errno.EBUSY, "ibv_destroy_cq"))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageStartingWith("ibv_destroy_cq: EBUSY (16)")
                .hasMessageContaining("still open");
        assertThatThrownBy(() -> Dialects.errorValue(Errno.ENOMEM, "ibv_reg_mr"))
                .hasMessageContaining("locked memory is");
        Dialects.errorValue(0, "nothing");
    }
}
