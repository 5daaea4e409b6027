package dev.mininccl.bindings.ibverbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_ah_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_global_route;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_attr;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_init_attr;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * One end of a reliable connection. It goes {@link #toInit INIT}, {@link #toReadyToReceive RTR}, {@link #toReadyToSend RTS}; then
 * requests may be posted.
 */
public final class QueuePair extends VerbsHandle {
    /** Packet sequence numbers have 24 bits. */
    public static final int LARGEST_SEQUENCE = 0xffffff;

    /** As NCCL does: address resolution behind RoCE may time out at first. The kernel may take a second for each try. */
    private static final long MODIFY_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(3400);

    private static final long MODIFY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** 0.64 ms between tries when the peer has no receive posted. */
    private static final int MIN_RNR_TIMER = 12;

    private static final int HOP_LIMIT = 255;
    /** Devices without RDMA reads refuse even one. */
    private static final int READS_OUTSTANDING = 1;

    private final Context context;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;
    private final boolean critical;
    private final int maxSends;
    private final int maxInline;
    private final int number;
    /** Where posting leaves the first request that was not taken. */
    private final MemorySegment failed = Arena.ofAuto().allocate(JAVA_LONG);

    QueuePair(long address, Context context, int maxSends, int maxInline) {
        super(address, "ibv_destroy_qp " + context);
        this.context = context;
        this.postSend = context.ops().postSend();
        this.postReceive = context.ops().postReceive();
        this.critical = context.critical();
        this.maxSends = maxSends;
        this.maxInline = maxInline;
        this.number = NativeMemory.getInt(address + ibv_qp.qp_num$offset());
    }

    @Override
    int destroy() {
        return Ibv.ibv_destroy_qp(MemorySegment.ofAddress(address()));
    }

    /** What a queue pair is ready for ({@code enum ibv_qp_state}). */
    public enum State {
        /** Made; nothing may be posted. */
        RESET(0),
        /** Receives may be posted. */
        INIT(1),
        /** Receives complete. */
        RTR(2),
        /** Sends may be posted. */
        RTS(3),
        /** Sends are being drained. */
        SQD(4),
        /** A send failed. */
        SQE(5),
        /** Everything posted is flushed. */
        ERR(6),
        /** None of the others. */
        UNKNOWN(7);

        private static final State[] VALUES = values();

        private final int code;

        State(int code) {
            this.code = code;
        }

        static State of(int code) {
            return code >= 0 && code < VALUES.length ? VALUES[code] : UNKNOWN;
        }
    }

    /**
     * The number that the peer must know.
     *
     * @return 24 bits
     */
    public int number() {
        return number;
    }

    /**
     * The size of the send queue.
     *
     * @return as many as were asked for, or more
     */
    public int maxSends() {
        return maxSends;
    }

    /**
     * The most bytes a request may carry itself.
     *
     * @return as many as were asked for, or more
     */
    public int maxInline() {
        return maxInline;
    }

    /**
     * From RESET to INIT: receives may be posted.
     *
     * @param port own port, from 1
     * @param access what the peer may do, flags of {@link Access}
     * @throws VerbsException if the device refuses
     */
    public void toInit(int port, int access) {
        modify(
                State.INIT,
                IbvConstants.IBV_QP_PKEY_INDEX() | IbvConstants.IBV_QP_PORT() | IbvConstants.IBV_QP_ACCESS_FLAGS(),
                attributes -> {
                    ibv_qp_attr.pkey_index(attributes, (short) 0);
                    ibv_qp_attr.port_num(attributes, (byte) port);
                    ibv_qp_attr.qp_access_flags(attributes, access);
                });
    }

    /**
     * From INIT to RTR: what the peer sends is received. Tries again for up to 3.4 s while the peer's address is not resolved.
     *
     * @param path how to reach the peer
     * @param remoteNumber the peer's {@link #number}
     * @param remoteSequence the peer's first packet sequence number
     * @throws VerbsException if the device refuses, or with {@code ETIMEDOUT} if the address is not resolved
     */
    public void toReadyToReceive(RemotePath path, int remoteNumber, int remoteSequence) {
        RemotePath.inRange("remoteSequence", remoteSequence, 0, LARGEST_SEQUENCE);
        int mask = IbvConstants.IBV_QP_AV()
                | IbvConstants.IBV_QP_PATH_MTU()
                | IbvConstants.IBV_QP_DEST_QPN()
                | IbvConstants.IBV_QP_RQ_PSN()
                | IbvConstants.IBV_QP_MAX_DEST_RD_ATOMIC()
                | IbvConstants.IBV_QP_MIN_RNR_TIMER();
        int reads = Math.min(READS_OUTSTANDING, context.attributes().maxReadsAsTarget());
        modify(State.RTR, mask, attributes -> {
            ibv_qp_attr.path_mtu(attributes, path.mtu().code());
            ibv_qp_attr.dest_qp_num(attributes, remoteNumber);
            ibv_qp_attr.rq_psn(attributes, remoteSequence);
            ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) reads);
            ibv_qp_attr.min_rnr_timer(attributes, (byte) MIN_RNR_TIMER);
            address(ibv_qp_attr.ah_attr(attributes), path);
        });
    }

    private static void address(MemorySegment handle, RemotePath path) {
        ibv_ah_attr.dlid(handle, (short) path.lid());
        ibv_ah_attr.sl(handle, (byte) path.serviceLevel());
        ibv_ah_attr.port_num(handle, (byte) path.port());
        if (path.gidIndex() >= 0) {
            ibv_ah_attr.is_global(handle, (byte) 1);
            MemorySegment route = ibv_ah_attr.grh(handle);
            path.gid().write(route, ibv_global_route.dgid$offset());
            ibv_global_route.sgid_index(route, (byte) path.gidIndex());
            ibv_global_route.hop_limit(route, (byte) HOP_LIMIT);
            ibv_global_route.traffic_class(route, (byte) path.trafficClass());
        }
    }

    /**
     * From RTR to RTS: sends may be posted.
     *
     * @param sequence own first packet sequence number
     * @param retry how often to send again
     * @throws VerbsException if the device refuses
     */
    public void toReadyToSend(int sequence, Retry retry) {
        RemotePath.inRange("sequence", sequence, 0, LARGEST_SEQUENCE);
        int mask = IbvConstants.IBV_QP_SQ_PSN()
                | IbvConstants.IBV_QP_TIMEOUT()
                | IbvConstants.IBV_QP_RETRY_CNT()
                | IbvConstants.IBV_QP_RNR_RETRY()
                | IbvConstants.IBV_QP_MAX_QP_RD_ATOMIC();
        int reads = Math.min(READS_OUTSTANDING, context.attributes().maxReadsAsInitiator());
        modify(State.RTS, mask, attributes -> {
            ibv_qp_attr.sq_psn(attributes, sequence);
            ibv_qp_attr.timeout(attributes, (byte) retry.timeout());
            ibv_qp_attr.retry_cnt(attributes, (byte) retry.count());
            ibv_qp_attr.rnr_retry(attributes, (byte) retry.receiverNotReady());
            ibv_qp_attr.max_rd_atomic(attributes, (byte) reads);
        });
    }

    /**
     * From any state to ERR: everything posted completes as flushed.
     *
     * @throws VerbsException if the device refuses
     */
    public void toError() {
        modify(State.ERR, 0, _ -> {});
    }

    private void modify(State state, int mask, Consumer<MemorySegment> fill) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(attributes, state.code);
            fill.accept(attributes);
            MemorySegment pair = MemorySegment.ofAddress(address());
            long begin = System.nanoTime();
            int error = Ibv.ibv_modify_qp(pair, attributes, mask | IbvConstants.IBV_QP_STATE());
            while (error == Errno.ETIMEDOUT && System.nanoTime() - begin < MODIFY_LIMIT_NANOS) {
                LockSupport.parkNanos(MODIFY_PAUSE_NANOS);
                error = Ibv.ibv_modify_qp(pair, attributes, mask | IbvConstants.IBV_QP_STATE());
            }
            Dialects.errorValue(error, "ibv_modify_qp of " + this + " to " + state);
        }
    }

    /**
     * Asks the device for the state.
     *
     * @return the state
     * @throws VerbsException if it does not answer
     */
    public State state() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_attr.allocate(arena);
            MemorySegment initial = ibv_qp_init_attr.allocate(arena);
            int error = Ibv.ibv_query_qp(
                    MemorySegment.ofAddress(address()), attributes, IbvConstants.IBV_QP_STATE(), initial);
            Dialects.errorValue(error, "ibv_query_qp of " + this);
            return State.of(ibv_qp_attr.qp_state(attributes));
        }
    }

    /**
     * Posts a send request and those chained to it. Allocates nothing. For one thread at a time.
     *
     * @param first absolute address of the first request, see {@link SendRequests#address}
     * @return 0, or an {@link Errno}, not negated: {@code ENOMEM} if the queue is full; requests before {@link #failedRequest} were
     *     taken
     */
    public int postSend(long first) {
        return isClosed() ? Errno.EBADF : VerbsOps.post(postSend, critical, address(), first, failed.address());
    }

    /**
     * Posts a receive request and those chained to it. Allocates nothing. For one thread at a time, which may be another than that
     * of the sends only if it does not need {@link #failedRequest}.
     *
     * @param first absolute address of the first request, see {@link ReceiveRequests#address}
     * @return as for {@link #postSend}
     */
    public int postReceive(long first) {
        return isClosed() ? Errno.EBADF : VerbsOps.post(postReceive, critical, address(), first, failed.address());
    }

    /**
     * The first request that the last failed posting did not take.
     *
     * @return its absolute address
     */
    public long failedRequest() {
        return failed.get(JAVA_LONG, 0);
    }

    @Override
    public String toString() {
        return "queue pair 0x" + Integer.toHexString(number) + " on " + context;
    }
}
