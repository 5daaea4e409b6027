package dev.mininccl.core.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.bindings.cuda.KernelParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The {@code Arguments} structure of {@code arguments.cuh}, and what some kernels have behind it, laid out once and patched in place for every launch. */
final class KernelArguments {
    static final int MAX_RANKS = 8;
    /** What most kernels take. */
    static final long BYTES = 152;

    /** With what some have behind it. */
    static final long MOST_BYTES = 280;

    private static final long REGISTERED = BYTES;

    private static final long INPUT = 0;
    private static final long OUTPUT = 8;
    private static final long COUNT = 16;
    private static final long FINGERPRINT = 24;
    private static final long RANK = 32;
    private static final long RANKS = 36;
    private static final long EXTENT = 40;
    private static final long DEPTH = 44;
    private static final long BANK = 48;
    private static final long REGION = 56;
    private static final long DEADLINE = 64;
    private static final long CONTROL = 72;
    private static final long WORDS = 80;
    private static final long ARENAS = 88;
    // Parted, Registered and Residence lie in the same place: a kernel takes one of them, or none.
    private static final long STRIDE = REGISTERED;
    private static final long INPUTS = REGISTERED;
    private static final long OUTPUTS = REGISTERED + 64;
    private static final long COMMANDS = REGISTERED;
    private static final long ANSWERS = REGISTERED + 8;
    private static final long FIRST = REGISTERED + 16;
    private static final long IDLE = REGISTERED + 24;
    private static final long LIFE = REGISTERED + 32;

    private final KernelParameters parameters;
    private final MemorySegment block;

    KernelArguments(Arena arena) {
        parameters = new KernelParameters(MOST_BYTES, arena);
        block = parameters.block();
    }

    /** What stays the same for all operations of a communicator. */
    KernelArguments communicator(int rank, long[] arenas, long control, long words, long deadlineNanos) {
        block.set(JAVA_INT, RANK, rank);
        block.set(JAVA_INT, RANKS, arenas.length);
        block.set(JAVA_LONG, DEADLINE, deadlineNanos);
        block.set(JAVA_LONG, CONTROL, control);
        block.set(JAVA_LONG, WORDS, words);
        for (int r = 0; r < arenas.length; r++) {
            block.set(JAVA_LONG, ARENAS + 8L * r, arenas[r]);
        }
        return this;
    }

    /** Where the arenas are not one a rank. */
    KernelArguments ranks(int ranks) {
        block.set(JAVA_INT, RANKS, ranks);
        return this;
    }

    KernelArguments region(long region, long bank) {
        block.set(JAVA_LONG, REGION, region);
        block.set(JAVA_LONG, BANK, bank);
        return this;
    }

    KernelArguments shape(int extent, int depth) {
        block.set(JAVA_INT, EXTENT, extent);
        block.set(JAVA_INT, DEPTH, depth);
        return this;
    }

    KernelArguments operation(long input, long output, long count, long fingerprint) {
        block.set(JAVA_LONG, INPUT, input);
        block.set(JAVA_LONG, OUTPUT, output);
        block.set(JAVA_LONG, COUNT, count);
        block.set(JAVA_LONG, FINGERPRINT, fingerprint);
        return this;
    }

    /** A registered buffer of one rank, as mapped here. */
    KernelArguments registered(int rank, long input, long output) {
        block.set(JAVA_LONG, INPUTS + 8L * rank, input);
        block.set(JAVA_LONG, OUTPUTS + 8L * rank, output);
        return this;
    }

    /** Of parts: bytes from one rank's to the next's. */
    KernelArguments stride(long bytes) {
        block.set(JAVA_LONG, STRIDE, bytes);
        return this;
    }

    /** Of a kernel that stays: where it is told and answers, the command it waits for first, and how long it stays. */
    KernelArguments residence(long commands, long answers, long first, long idleNanos, long lifeNanos) {
        block.set(JAVA_LONG, COMMANDS, commands);
        block.set(JAVA_LONG, ANSWERS, answers);
        block.set(JAVA_LONG, FIRST, first);
        block.set(JAVA_LONG, IDLE, idleNanos);
        block.set(JAVA_LONG, LIFE, lifeNanos);
        return this;
    }

    /** What a launch takes. */
    long address() {
        return parameters.address();
    }
}
