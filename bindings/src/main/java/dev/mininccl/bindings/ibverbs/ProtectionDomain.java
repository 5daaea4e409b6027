package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.Ibv;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_cap;
import dev.mininccl.bindings.ibverbs.gen.ibv_qp_init_attr;
import dev.mininccl.bindings.posix.Errno;
import dev.mininccl.bindings.posix.ErrnoCapture;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What memory regions and queue pairs have in common that may work together. */
public final class ProtectionDomain extends VerbsHandle {
    private static final String REG_MR_IOVA2 = "ibv_reg_mr_iova2";
    private static final String REG_DMABUF_MR = "ibv_reg_dmabuf_mr";
    private static final int RELIABLE_CONNECTION = 2;

    private final Context context;

    ProtectionDomain(long address, Context context) {
        super(address, "ibv_dealloc_pd " + context);
        this.context = context;
    }

    @Override
    int destroy() {
        return Ibv.ibv_dealloc_pd(MemorySegment.ofAddress(address()));
    }

    /**
     * Registers memory. It must stay mapped until the region is closed.
     *
     * @param address absolute address of the first byte
     * @param bytes the size
     * @param access flags of {@link Access}
     * @return the region; the caller closes it
     * @throws VerbsException with {@code ENOMEM} if the limit on locked memory is too low, which the message then says
     */
    public MemoryRegion register(long address, long bytes, int access) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        boolean optional = (access & Access.OPTIONAL_RANGE) != 0;
        long region = optional && VerbsCalls.has(REG_MR_IOVA2)
                ? VerbsCalls.regMrIova2(errno, address(), address, bytes, address, access)
                : VerbsCalls.regMr(errno, address(), address, bytes, access & ~Access.OPTIONAL_RANGE);
        return new MemoryRegion(
                Dialects.nullable(region, errno, "ibv_reg_mr of " + bytes + " bytes on " + context), bytes);
    }

    /**
     * Registers memory of another device that exports it as a DMA-BUF, such as a GPU's.
     *
     * @param fd the DMA-BUF; it may be closed afterwards
     * @param offset first byte within it
     * @param bytes the size
     * @param remoteAddress the address by which requests name the first byte; its position in the page is that of the offset
     * @param access flags of {@link Access}
     * @return the region; the caller closes it
     * @throws VerbsException with {@code EOPNOTSUPP} if library, provider or kernel cannot
     */
    public MemoryRegion registerDmabuf(int fd, long offset, long bytes, long remoteAddress, int access) {
        String call = REG_DMABUF_MR + " of " + bytes + " bytes on " + context;
        if (!VerbsCalls.has(REG_DMABUF_MR)) {
            throw new VerbsException(call, Errno.EOPNOTSUPP, "libibverbs is older than rdma-core 34");
        }
        ErrnoCapture errno = ErrnoCapture.ofThread();
        long region = VerbsCalls.regDmabufMr(errno, address(), offset, bytes, remoteAddress, fd, access);
        return new MemoryRegion(Dialects.nullable(region, errno, call), bytes);
    }

    /**
     * Creates a queue pair for a reliable connection.
     *
     * @param options its queues and sizes
     * @return the queue pair, in state RESET; the caller closes it before its completion queues and this domain
     * @throws VerbsException with {@code EINVAL} if a size is beyond the device's
     */
    public QueuePair createQueuePair(QueuePairOptions options) {
        ErrnoCapture errno = ErrnoCapture.ofThread();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_init_attr.allocate(arena);
            ibv_qp_init_attr.send_cq(
                    attributes, MemorySegment.ofAddress(options.sendQueue().address()));
            ibv_qp_init_attr.recv_cq(
                    attributes, MemorySegment.ofAddress(options.receiveQueue().address()));
            ibv_qp_init_attr.qp_type(attributes, RELIABLE_CONNECTION);
            ibv_qp_init_attr.sq_sig_all(attributes, options.signalAll() ? 1 : 0);
            MemorySegment capabilities = ibv_qp_init_attr.cap(attributes);
            ibv_qp_cap.max_send_wr(capabilities, options.maxSends());
            ibv_qp_cap.max_recv_wr(capabilities, options.maxReceives());
            ibv_qp_cap.max_send_sge(capabilities, 1);
            ibv_qp_cap.max_recv_sge(capabilities, 1);
            ibv_qp_cap.max_inline_data(capabilities, options.maxInline());
            long pair = VerbsCalls.createQp(errno, address(), attributes.address());
            String call = "ibv_create_qp with " + options.sizes() + " on " + context;
            return new QueuePair(
                    Dialects.nullable(pair, errno, call),
                    context,
                    ibv_qp_cap.max_send_wr(capabilities),
                    ibv_qp_cap.max_inline_data(capabilities));
        }
    }
}
