package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.schedule.Collective;

/**
 * The 64 bits that travel with an operation between GPUs and that every rank compares with its own. They can be read back, so that
 * the rank which notices a difference can say what either side called.
 */
final class OperationCode {
    private static final int ALL_REDUCE = 1;
    private static final int SYMMETRIC_ALL_REDUCE = 2;
    private static final int ALL_GATHER = 3;
    private static final int REDUCE_SCATTER = 4;
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
        return of(ALL_REDUCE, type, op.code(), count);
    }

    static long allGather(DataType type, long count) {
        return of(ALL_GATHER, type, 0, count);
    }

    static long reduceScatter(DataType type, ReduceOp op, long count) {
        return of(REDUCE_SCATTER, type, op.code(), count);
    }

    /** Of any collective; {@code op} is {@code null} where nothing is reduced. */
    static long of(Collective collective, DataType type, ReduceOp op, long count) {
        return switch (collective) {
            case ALL_REDUCE -> allReduce(type, op, count);
            case ALL_GATHER -> allGather(type, count);
            case REDUCE_SCATTER -> reduceScatter(type, op, count);
        };
    }

    private static long of(int kind, DataType type, int op, long count) {
        return (long) kind << KIND_SHIFT | (long) op << OP_SHIFT | (long) type.code() << TYPE_SHIFT | count;
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

    /** The collective in a code. */
    static Collective collective(long code) {
        return switch ((int) (code >>> KIND_SHIFT)) {
            case ALL_GATHER -> Collective.ALL_GATHER;
            case REDUCE_SCATTER -> Collective.REDUCE_SCATTER;
            default -> Collective.ALL_REDUCE;
        };
    }

    /** The count in a code, but for symmetric memory. */
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
        if (kind < ALL_REDUCE
                || kind > REDUCE_SCATTER
                || op >= ReduceOp.values().length
                || type >= DataType.values().length) {
            return "an operation this release does not know (" + Long.toHexString(code) + ")";
        }
        long count = code & (symmetric ? MAX_SYMMETRIC_COUNT : MAX_COUNT);
        String where = symmetric
                ? " in symmetric memory, place " + Long.toHexString((code & MAX_COUNT) >>> SYMMETRIC_COUNT_BITS)
                : "";
        return collective(code)
                        .describe(
                                count,
                                DataType.ofCode(type).label(),
                                ReduceOp.ofCode(op).label())
                + where;
    }
}
