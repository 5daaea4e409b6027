package dev.mininccl.cli.perf;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/**
 * The data of a checked operation: every rank's input as a function of a key, the rank and the index, and the exact result.
 *
 * <p>Floating-point inputs are whole numbers so small that any order of adding them is exact in the type; factors of a
 * product are powers of two; only an average of floats rounds, once. So one expected result holds for every algorithm.
 * Integers use their whole range and wrap.
 */
interface Pattern {

    /** Elements computed at a time: what fits in an L2 cache several times over. */
    int CHUNK = 16 * 1024;

    /**
     * Writes one rank's input.
     *
     * @param key of the operation
     * @param rank whose
     * @param chunk the first element is {@code chunk * CHUNK}
     * @param count elements, at most {@link #CHUNK}
     * @param target receives {@code count} elements in the type's native form
     */
    void input(long key, int rank, long chunk, int count, MemorySegment target);

    /** As {@link #input}, what every rank must have in the end. */
    void result(long key, long chunk, int count, MemorySegment target);

    /** The pattern of a type and an operation. */
    static Pattern of(DataType type, ReduceOp op, int ranks) {
        return type.bytes() == 8 ? new LongPattern(type, op, ranks) : new IntPattern(type, op, ranks);
    }

    /** Bits by which random words are shortened: so that sums of all ranks stay exact, or averages do not wrap. */
    static int shortened(DataType type, ReduceOp op, int ranks) {
        int word = type.bytes() == 8 ? 64 : 32;
        int significant = switch (type) {
            case INT8, UINT8 -> 8;
            case INT32, UINT32 -> 32;
            case INT64, UINT64 -> 64;
            case FLOAT16 -> 11;
            case BFLOAT16 -> 8;
            case FLOAT32 -> 24;
            case FLOAT64 -> 53;
            case FLOAT8E4M3 -> 4;
            case FLOAT8E5M2 -> 3;
        };
        boolean adds = op == ReduceOp.AVG || (op == ReduceOp.SUM && type.isFloating());
        int carries = adds ? 32 - Integer.numberOfLeadingZeros(adding(type, op, ranks) - 1) : 0;
        return Math.min(word - 1, word - significant + carries);
    }

    /** How many ranks add anything: sums of more whole numbers than eight could not be exact in 8-bit floats. */
    static int adding(DataType type, ReduceOp op, int ranks) {
        boolean sums = op == ReduceOp.SUM || op == ReduceOp.AVG;
        return sums && type.isFloating() && type.bytes() == 1 ? Math.min(ranks, 8) : ranks;
    }

    /** Whether a product of floats may have factors of 2 and stay finite in the type. */
    static boolean doubles(DataType type, int ranks) {
        return ranks <= (type == DataType.FLOAT8E4M3 ? 8 : 14);
    }

    /** Mixes words into one that looks random (the finaliser of MurmurHash3). */
    static long mix(long... words) {
        long hash = 0x9E3779B97F4A7C15L;
        for (long word : words) {
            hash = (hash ^ word) * 0xFF51AFD7ED558CCDL;
            hash = (hash ^ (hash >>> 33)) * 0xC4CEB9FE1A85EC53L;
            hash ^= hash >>> 33;
        }
        return hash;
    }

    /** 0, 1, 2, …: the loop below becomes vectors only if it reads its index from memory. */
    int[] INDEX = IntStream.range(0, CHUNK).toArray();

    /** Fills with random words; a plain loop that C2 turns into vectors. */
    static void random(int key, int count, int[] words) {
        for (int i = 0; i < count; i++) {
            int hash = (INDEX[i] + key) * 0x9E3779B1;
            hash = (hash ^ (hash >>> 15)) * 0x85EBCA77;
            words[i] = hash ^ (hash >>> 13);
        }
    }
}
