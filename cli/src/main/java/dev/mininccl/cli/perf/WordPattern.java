package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * What patterns of all widths have in common: which words the ranks get, and in which order they are combined. The loops over words
 * are the subclasses', one for each width, so that C2 turns them into vectors.
 *
 * @param <A> an array of words, {@code CHUNK} long
 */
abstract class WordPattern<A> implements Pattern {

    final DataType type;
    private final ReduceOp op;
    private final int ranks;
    private final int shift;
    private final boolean unsigned;
    private final A words;
    private final A total;

    /** For arrays that the subclass makes. */
    WordPattern(DataType type, ReduceOp op, int ranks, A words, A total) {
        this.type = type;
        this.op = op;
        this.ranks = ranks;
        this.shift = Pattern.shortened(type, op, ranks);
        this.unsigned = type == DataType.UINT8 || type == DataType.UINT32 || type == DataType.UINT64;
        this.words = words;
        this.total = total;
    }

    @Override
    public final void input(long key, int rank, long chunk, int count, MemorySegment target) {
        values(key, rank, chunk, count, total);
        encode(total, count, 1, target);
    }

    @Override
    public final void result(long key, long chunk, int count, MemorySegment target) {
        values(key, 0, chunk, count, total);
        for (int rank = 1; rank < ranks; rank++) {
            values(key, rank, chunk, count, words);
            switch (op) {
                case SUM, AVG -> add(total, words, count);
                case PROD -> multiply(total, words, count);
                case MAX -> max(total, words, count);
                case MIN -> min(total, words, count);
            }
        }
        encode(total, count, op == ReduceOp.AVG ? ranks : 1, target);
    }

    private void values(long key, int rank, long chunk, int count, A into) {
        if (rank >= Pattern.adding(type, op, rank + 1)) {
            clear(into, count);
            return;
        }
        random((int) Pattern.mix(key, rank, chunk), count, into);
        // Odd factors keep a product of many integers from ending at 0.
        int odd = op == ReduceOp.PROD ? 1 : 0;
        if (op == ReduceOp.PROD && type.isFloating()) {
            factors(into, count, Pattern.doubles(type, ranks) ? 1 : 0);
        } else if (unsigned) {
            shortenUnsigned(into, count, shift, odd);
        } else {
            shorten(into, count, shift, odd);
        }
    }

    abstract void clear(A a, int count);

    abstract void random(int key, int count, A into);

    /** Shifts right and sets the bits of {@code odd}. */
    abstract void shorten(A a, int count, int shift, int odd);

    abstract void shortenUnsigned(A a, int count, int shift, int odd);

    /** Makes each 1 or -1, or where {@code twice} is 1 also 2 or -2. */
    abstract void factors(A a, int count, int twice);

    abstract void add(A a, A b, int count);

    abstract void multiply(A a, A b, int count);

    abstract void max(A a, A b, int count);

    abstract void min(A a, A b, int count);

    /** Writes the words, divided, in the type's native form. */
    abstract void encode(A a, int count, int divisor, MemorySegment target);
}
