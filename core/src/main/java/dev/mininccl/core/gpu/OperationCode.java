package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;

/**
 * The 64 bits that travel with an operation between GPUs and that every rank compares with its own. They can be read back, so that
 * the rank which notices a difference can say what either side called.
 */
final class OperationCode {
    private static final int ALL_REDUCE = 1;
    private static final int SYMMETRIC_ALL_REDUCE = 2;
    private static final int SYMMETRIC_COUNT_BITS = 36;
    private static final int COUNT_BITS = 52;
    private static final int TYPE_SHIFT = COUNT_BITS;
    private static final int OP_SHIFT = COUNT_BITS + 5;
    private static final int KIND_SHIFT = COUNT_BITS + 8;

    /** The most elements of one operation. */
    static final long MAX_COUNT = (1L << COUNT_BITS) - 1;

    /** The most elements of one operation on symmetric memory. */
    static final long MAX_SYMMETRIC_COUNT = (1L << SYMMETRIC_COUNT_BITS) - 1;

    private OperationCode() {}

    static long allReduce(DataType type, ReduceOp op, long count) {
        return (long) ALL_REDUCE << KIND_SHIFT
                | (long) op.code() << OP_SHIFT
                | (long) type.code() << TYPE_SHIFT
                | count;
    }

    /** On symmetric memory ranks must also agree on the place. */
    static long symmetricAllReduce(DataType type, ReduceOp op, long count, long place) {
        long mixed = ((place ^ (place >>> 32)) * 0x9E3779B97F4A7C15L) >>> 48;
        return (long) SYMMETRIC_ALL_REDUCE << KIND_SHIFT
                | (long) op.code() << OP_SHIFT
                | (long) type.code() << TYPE_SHIFT
                | mixed << SYMMETRIC_COUNT_BITS
                | count;
    }

    /** The count in the code of an all-reduce. */
    static long count(long code) {
        return code & MAX_COUNT;
    }

    /** The element type in a code. */
    static DataType type(long code) {
        return DataType.ofCode((int) (code >>> TYPE_SHIFT) & 31);
    }

    /** The reduction in a code. */
    static ReduceOp op(long code) {
        return ReduceOp.ofCode((int) (code >>> OP_SHIFT) & 7);
    }

    /** What a code stands for. */
    static String describe(long code) {
        int kind = (int) (code >>> KIND_SHIFT);
        int op = (int) (code >>> OP_SHIFT) & 7;
        int type = (int) (code >>> TYPE_SHIFT) & 31;
        boolean symmetric = kind == SYMMETRIC_ALL_REDUCE;
        if ((kind != ALL_REDUCE && !symmetric) || op >= ReduceOp.values().length || type >= DataType.values().length) {
            return "an operation this release does not know (" + Long.toHexString(code) + ")";
        }
        long count = code & (symmetric ? MAX_SYMMETRIC_COUNT : MAX_COUNT);
        String where = symmetric
                ? " in symmetric memory, place " + Long.toHexString((code & MAX_COUNT) >>> SYMMETRIC_COUNT_BITS)
                : "";
        return "all_reduce of " + count + " " + DataType.ofCode(type).label() + ", "
                + ReduceOp.ofCode(op).label() + where;
    }
}
