package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_send_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_sge;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A slab of send work requests with one scatter-gather entry each, laid out once and patched in place. The library has copied a
 * request when posting returns, so it may be patched again then; memory it names is in use until its completion.
 *
 * <p>Patching is a few stores by absolute address: 128-byte aligned, no allocation, and no bounds check beyond that of the index.
 */
public final class SendRequests {
    /** Flag: start only when earlier reads and atomics have finished. */
    public static final int FENCE = IbvConstants.IBV_SEND_FENCE();
    /** Flag: report completion. */
    public static final int SIGNALED = IbvConstants.IBV_SEND_SIGNALED();
    /** Flag: the receiver's completion is announced even if it asked for solicited ones only. */
    public static final int SOLICITED = IbvConstants.IBV_SEND_SOLICITED();
    /** Flag: the bytes are copied when posting, need no local key, and may change at once. */
    public static final int INLINE = IbvConstants.IBV_SEND_INLINE();

    /** In place of an index: nothing follows in the chain. */
    public static final int NONE = -1;

    private static final int WRITE = IbvConstants.IBV_WR_RDMA_WRITE();
    private static final int WRITE_WITH_IMMEDIATE = IbvConstants.IBV_WR_RDMA_WRITE_WITH_IMM();
    private static final int SEND = IbvConstants.IBV_WR_SEND();
    private static final int READ = IbvConstants.IBV_WR_RDMA_READ();

    private static final long ALIGNMENT = 128;
    private static final long BYTES = ibv_send_wr.sizeof();
    private static final long ENTRY_BYTES = ibv_sge.sizeof();

    private static final long ID = ibv_send_wr.wr_id$offset();
    private static final long NEXT = ibv_send_wr.next$offset();
    private static final long ENTRIES = ibv_send_wr.sg_list$offset();
    /** The opcode follows. */
    private static final long ENTRY_COUNT = ibv_send_wr.num_sge$offset();

    private static final long FLAGS = ibv_send_wr.send_flags$offset();
    private static final long IMMEDIATE = ibv_send_wr.imm_data$offset();
    private static final long RDMA = ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset();
    private static final long REMOTE_ADDRESS = RDMA + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long REMOTE_KEY = RDMA + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ENTRY_ADDRESS = ibv_sge.addr$offset();
    /** The local key follows. */
    private static final long ENTRY_LENGTH = ibv_sge.length$offset();

    private final int count;
    private final long requests;
    private final long entries;

    /**
     * Lays out requests.
     *
     * @param arena whose memory they are in; it must outlive every use
     * @param count how many, 1 or more
     */
    public SendRequests(Arena arena, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count " + count + " is not 1 or more");
        }
        MemorySegment slab = arena.allocate(count * (BYTES + ENTRY_BYTES), ALIGNMENT);
        this.count = count;
        this.requests = slab.address();
        this.entries = requests + count * BYTES;
        for (int index = 0; index < count; index++) {
            NativeMemory.putLong(requests + index * BYTES + ENTRIES, entries + index * ENTRY_BYTES);
        }
    }

    /**
     * How many requests there are.
     *
     * @return the count
     */
    public int count() {
        return count;
    }

    /**
     * Where a request is, for {@link QueuePair#postSend}.
     *
     * @param index which
     * @return absolute address
     */
    public long address(int index) {
        return requests + Objects.checkIndex(index, count) * BYTES;
    }

    /**
     * Makes a request an RDMA write.
     *
     * @param index which request
     * @param local absolute address of the bytes
     * @param localKey local key of their region; not looked at with {@link #INLINE}
     * @param bytes how many, unsigned 32 bits; 0 writes nothing
     * @param remote the peer's address
     * @param remoteKey remote key of the peer's region
     * @param id what the completion reports
     * @param flags flags of this class
     * @param next the request that follows in the chain, or {@link #NONE}
     */
    public void patchWrite(
            int index, long local, int localKey, int bytes, long remote, int remoteKey, long id, int flags, int next) {
        long request = patch(index, WRITE, local, localKey, bytes, id, flags, next);
        NativeMemory.putLong(request + REMOTE_ADDRESS, remote);
        NativeMemory.putInt(request + REMOTE_KEY, remoteKey);
    }

    /**
     * Makes a request an RDMA write that also completes a receive of the peer with 32 bits.
     *
     * @param index which request
     * @param local absolute address of the bytes
     * @param localKey local key of their region; not looked at with {@link #INLINE}
     * @param bytes how many, unsigned 32 bits; may be 0
     * @param remote the peer's address
     * @param remoteKey remote key of the peer's region
     * @param immediate what {@link WorkCompletions#immediate} gives at the peer
     * @param id what the completion reports
     * @param flags flags of this class
     * @param next the request that follows in the chain, or {@link #NONE}
     */
    public void patchWriteWithImmediate(
            int index,
            long local,
            int localKey,
            int bytes,
            long remote,
            int remoteKey,
            int immediate,
            long id,
            int flags,
            int next) {
        long request = patch(index, WRITE_WITH_IMMEDIATE, local, localKey, bytes, id, flags, next);
        NativeMemory.putInt(request + IMMEDIATE, Integer.reverseBytes(immediate));
        NativeMemory.putLong(request + REMOTE_ADDRESS, remote);
        NativeMemory.putInt(request + REMOTE_KEY, remoteKey);
    }

    /**
     * Makes a request an RDMA read.
     *
     * @param index which request
     * @param local absolute address to put the bytes
     * @param localKey local key of a region with {@link Access#LOCAL_WRITE}
     * @param bytes how many, unsigned 32 bits
     * @param remote the peer's address
     * @param remoteKey remote key of the peer's region
     * @param id what the completion reports
     * @param flags flags of this class, but not {@link #INLINE}
     * @param next the request that follows in the chain, or {@link #NONE}
     */
    public void patchRead(
            int index, long local, int localKey, int bytes, long remote, int remoteKey, long id, int flags, int next) {
        long request = patch(index, READ, local, localKey, bytes, id, flags, next);
        NativeMemory.putLong(request + REMOTE_ADDRESS, remote);
        NativeMemory.putInt(request + REMOTE_KEY, remoteKey);
    }

    /**
     * Makes a request a send into the peer's next receive.
     *
     * @param index which request
     * @param local absolute address of the bytes
     * @param localKey local key of their region; not looked at with {@link #INLINE}
     * @param bytes how many, unsigned 32 bits; may be 0
     * @param id what the completion reports
     * @param flags flags of this class
     * @param next the request that follows in the chain, or {@link #NONE}
     */
    public void patchSend(int index, long local, int localKey, int bytes, long id, int flags, int next) {
        patch(index, SEND, local, localKey, bytes, id, flags, next);
    }

    /** Two neighbouring 32-bit fields as one store: fewer stores are what lets a loop over requests be inlined whole. */
    static long pair(int first, int second) {
        return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
    }

    private long patch(int index, int opcode, long local, int localKey, int bytes, long id, int flags, int next) {
        long request = address(index);
        NativeMemory.putLong(request + ID, id);
        NativeMemory.putLong(request + NEXT, next == NONE ? 0 : address(next));
        // Some devices take an entry of length 0 as 2 GiB.
        NativeMemory.putLong(request + ENTRY_COUNT, pair(bytes == 0 ? 0 : 1, opcode));
        NativeMemory.putInt(request + FLAGS, flags);
        long entry = entries + index * ENTRY_BYTES;
        NativeMemory.putLong(entry + ENTRY_ADDRESS, local);
        NativeMemory.putLong(entry + ENTRY_LENGTH, pair(bytes, localKey));
        return request;
    }
}
