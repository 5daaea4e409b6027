package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.ibv_recv_wr;
import dev.mininccl.bindings.ibverbs.gen.ibv_sge;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A slab of receive work requests with one scatter-gather entry each; see {@link SendRequests}. */
public final class ReceiveRequests {
    private static final long ALIGNMENT = 128;
    private static final long BYTES = ibv_recv_wr.sizeof();
    private static final long ENTRY_BYTES = ibv_sge.sizeof();

    private static final long ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long ENTRIES = ibv_recv_wr.sg_list$offset();
    private static final long ENTRY_COUNT = ibv_recv_wr.num_sge$offset();
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
    public ReceiveRequests(Arena arena, int count) {
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
     * Where a request is, for {@link QueuePair#postReceive}.
     *
     * @param index which
     * @return absolute address
     */
    public long address(int index) {
        return requests + Objects.checkIndex(index, count) * BYTES;
    }

    /**
     * Makes a request receive into memory.
     *
     * @param index which request
     * @param local absolute address to put the bytes
     * @param localKey local key of a region with {@link Access#LOCAL_WRITE}
     * @param bytes room for how many, unsigned 32 bits; 0 for those that carry no bytes here
     * @param id what the completion reports
     * @param next the request that follows in the chain, or {@link SendRequests#NONE}
     */
    public void patch(int index, long local, int localKey, int bytes, long id, int next) {
        long request = address(index);
        NativeMemory.putLong(request + ID, id);
        NativeMemory.putLong(request + NEXT, next == SendRequests.NONE ? 0 : address(next));
        NativeMemory.putInt(request + ENTRY_COUNT, bytes == 0 ? 0 : 1);
        long entry = entries + index * ENTRY_BYTES;
        NativeMemory.putLong(entry + ENTRY_ADDRESS, local);
        NativeMemory.putLong(entry + ENTRY_LENGTH, SendRequests.pair(bytes, localKey));
    }
}
