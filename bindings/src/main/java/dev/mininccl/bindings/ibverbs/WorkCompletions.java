package dev.mininccl.bindings.ibverbs;

import dev.mininccl.bindings.ibverbs.gen.IbvConstants;
import dev.mininccl.bindings.ibverbs.gen.ibv_wc;
import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.util.Objects;

/**
 * Room for completions that {@link CompletionQueue#poll} takes together, and what they say. Of one that is not a success only id,
 * status, vendor's error and queue pair number mean something.
 */
public final class WorkCompletions {
    /** Opcode of a finished {@code patchWrite}, with or without immediate. */
    public static final int WRITE = IbvConstants.IBV_WC_RDMA_WRITE();
    /** Opcode of a finished {@code patchRead}. */
    public static final int READ = IbvConstants.IBV_WC_RDMA_READ();
    /** Opcode of a finished {@code patchSend}. */
    public static final int SEND = IbvConstants.IBV_WC_SEND();
    /** Opcode of a receive that a send completed. */
    public static final int RECEIVE = IbvConstants.IBV_WC_RECV();
    /** Opcode of a receive that a write with immediate completed. */
    public static final int RECEIVE_WITH_IMMEDIATE = IbvConstants.IBV_WC_RECV_RDMA_WITH_IMM();

    /** The status of a request that did what it should; others are {@link WorkStatus}es. */
    public static final int SUCCESS = IbvConstants.IBV_WC_SUCCESS();

    private static final long ALIGNMENT = 128;
    private static final long BYTES = ibv_wc.sizeof();
    private static final long ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long LENGTH = ibv_wc.byte_len$offset();
    private static final long IMMEDIATE = ibv_wc.imm_data$offset();
    private static final long PAIR = ibv_wc.qp_num$offset();

    private final int capacity;
    private final long completions;

    /**
     * Allocates room.
     *
     * @param arena whose memory it is in; it must outlive every use
     * @param capacity for how many, 1 or more; 16 to 64 save calls
     */
    public WorkCompletions(Arena arena, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " is not 1 or more");
        }
        this.capacity = capacity;
        this.completions = arena.allocate(capacity * BYTES, ALIGNMENT).address();
    }

    /**
     * For how many there is room.
     *
     * @return the capacity
     */
    public int capacity() {
        return capacity;
    }

    long address() {
        return completions;
    }

    private long at(int index) {
        return completions + Objects.checkIndex(index, capacity) * BYTES;
    }

    /**
     * The id its request was given.
     *
     * @param index which completion, less than what poll returned
     * @return the id
     */
    public long id(int index) {
        return NativeMemory.getLong(at(index) + ID);
    }

    /**
     * Whether it went well.
     *
     * @param index which completion
     * @return {@link #SUCCESS}, or a code for {@link WorkStatus#of}
     */
    public int status(int index) {
        return NativeMemory.getInt(at(index) + STATUS);
    }

    /**
     * What finished.
     *
     * @param index which completion
     * @return an opcode of this class, or another
     */
    public int opcode(int index) {
        return NativeMemory.getInt(at(index) + OPCODE);
    }

    /**
     * The provider's own error code.
     *
     * @param index which completion
     * @return the code; its meaning is in the vendor's documentation
     */
    public int vendorError(int index) {
        return NativeMemory.getInt(at(index) + VENDOR_ERROR);
    }

    /**
     * How many bytes were received.
     *
     * @param index which completion
     * @return unsigned 32 bits
     */
    public int length(int index) {
        return NativeMemory.getInt(at(index) + LENGTH);
    }

    /**
     * The 32 bits a write with immediate brought.
     *
     * @param index which completion
     * @return the value as the sender gave it
     */
    public int immediate(int index) {
        return Integer.reverseBytes(NativeMemory.getInt(at(index) + IMMEDIATE));
    }

    /**
     * The own queue pair it belongs to.
     *
     * @param index which completion
     * @return its {@link QueuePair#number}
     */
    public int queuePair(int index) {
        return NativeMemory.getInt(at(index) + PAIR);
    }
}
