package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_port_attr;
import java.lang.foreign.MemorySegment;

/**
 * What a port says about itself.
 *
 * @param port the port, from 1
 * @param state whether it carries data
 * @param maxMtu what the port can do
 * @param activeMtu what it does now
 * @param lid the local identifier, 0 on Ethernet
 * @param linkLayer what is below
 * @param routed whether packets need a global route header even within the subnet, as of virtual functions on InfiniBand
 * @param gidTableLength how many GIDs it has room for
 * @param maxMessageBytes longest message, unsigned 32 bits
 * @param activeWidth number of lanes as {@code 1 << n}: 1, 4, 8, 12 lanes are 1, 2, 4, 8; 16 stands for two lanes
 * @param activeSpeed speed of one lane as verbs code it: 1, 2, 4, 8, 16, 32, 64, 128 for 2.5, 5, 10, 10, 14, 25, 50, 100 Gb/s
 */
public record PortAttributes(
        int port,
        State state,
        Mtu maxMtu,
        Mtu activeMtu,
        int lid,
        LinkLayer linkLayer,
        boolean routed,
        int gidTableLength,
        long maxMessageBytes,
        int activeWidth,
        int activeSpeed) {

    /** Whether a port carries data ({@code enum ibv_port_state}). */
    public enum State {
        /** No state change. */
        NOP,
        /** No link. */
        DOWN,
        /** The link is being set up. */
        INIT,
        /** Waiting to be activated. */
        ARMED,
        /** Data flows. */
        ACTIVE,
        /** Was active; data does not flow for the moment. */
        ACTIVE_DEFER;

        private static final State[] VALUES = values();

        static State of(int code) {
            return code >= 0 && code < VALUES.length ? VALUES[code] : NOP;
        }
    }

    /** What a port sends over. */
    public enum LinkLayer {
        /** InfiniBand, also where an old library says nothing. */
        INFINIBAND,
        /** Ethernet: RoCE or iWARP. */
        ETHERNET
    }

    static PortAttributes read(int port, MemorySegment attributes) {
        return new PortAttributes(
                port,
                State.of(ibv_port_attr.state(attributes)),
                mtu(ibv_port_attr.max_mtu(attributes)),
                mtu(ibv_port_attr.active_mtu(attributes)),
                Short.toUnsignedInt(ibv_port_attr.lid(attributes)),
                ibv_port_attr.link_layer(attributes) == 2 ? LinkLayer.ETHERNET : LinkLayer.INFINIBAND,
                (ibv_port_attr.flags(attributes) & IbvConstants.IBV_QPF_GRH_REQUIRED()) != 0,
                ibv_port_attr.gid_tbl_len(attributes),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_width(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.active_speed(attributes)));
    }

    /** Ports that are down say 0, and some fabrics know larger ones than queue pairs do. */
    private static Mtu mtu(int code) {
        return Mtu.of(Math.clamp(code, Mtu.B256.code(), Mtu.B4096.code()));
    }

    /**
     * Whether data flows.
     *
     * @return true if the state is {@link State#ACTIVE}
     */
    public boolean active() {
        return state == State.ACTIVE;
    }

    /**
     * The data rate.
     *
     * @return Gb/s over all lanes, rounded down
     */
    public int gigabits() {
        int lanes = activeWidth == 16 ? 2 : activeWidth == 2 ? 4 : activeWidth == 4 ? 8 : activeWidth == 8 ? 12 : 1;
        double lane = switch (activeSpeed) {
            case 1 -> 2.5;
            case 2 -> 5;
            case 16 -> 14;
            case 32 -> 25;
            case 64 -> 50;
            case 128 -> 100;
            default -> 10;
        };
        return (int) (lanes * lane);
    }
}
