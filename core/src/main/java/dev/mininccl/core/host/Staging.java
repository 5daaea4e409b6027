package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * Host memory through which the data of a rank passes whose buffers the host engine cannot address. Someone else, as a rule a kernel
 * on a GPU ({@code relay.cu}), asks for operations, fills the memory with the input and takes the result away, in step with the
 * engine by counters and marks that each have one writer. Nothing is ever reset.
 *
 * <p>The memory has two halves. A message larger than one goes through them in turn, segment by segment.
 */
public final class Staging {

    private static final long LINE = 128;
    private static final int MOST_CHANNELS = 128;

    /** Where in the lines whoever asks writes an operation's number, last. */
    public static final long NUMBER = 0;

    /** Where it writes what the operation is. */
    public static final long CODE = 8;

    /** Where the engine counts operations that have ended. */
    public static final long SERVED = LINE;

    private static final long DRAINED = 2 * LINE;
    private static final long ARRIVED = 3 * LINE;
    private static final long COMPLETED = ARRIVED + MOST_CHANNELS * LINE;

    /** The size of the lines. */
    public static final long LINES_BYTES = COMPLETED + MOST_CHANNELS * LINE;

    private final MemorySegment memory;
    private final long halfBytes;
    private final long lines;
    private final Stage[] stages;
    private long segment;
    private long served;

    /**
     * Where in the lines a channel's input is marked: a segment's number above 32 bits of how many bytes of its share are there.
     *
     * @param channel 0 to 127
     * @return an offset
     */
    public static long arrived(int channel) {
        return ARRIVED + channel * LINE;
    }

    /**
     * Where the engine marks a channel's result, likewise.
     *
     * @param channel 0 to 127
     * @return an offset
     */
    public static long completed(int channel) {
        return COMPLETED + channel * LINE;
    }

    /**
     * Describes memory that is there.
     *
     * @param memory the two halves, aligned to 128 bytes; transports may send from it as long as its scope is alive
     * @param lines address of {@value #LINES_BYTES} bytes of zeros, aligned to 128 bytes
     * @param channels of the engine that will work on it
     */
    public Staging(MemorySegment memory, long lines, int channels) {
        this.memory = memory;
        this.halfBytes = memory.byteSize() / 2;
        this.lines = lines;
        stages = new Stage[channels];
        for (int i = 0; i < channels; i++) {
            stages[i] = new Stage(lines + arrived(i), lines + completed(i));
        }
    }

    /**
     * The memory itself.
     *
     * @return the two halves
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Whether an operation was asked for that is not served yet.
     *
     * @return true if {@link #code()} tells which
     */
    public boolean requestedAcquire() {
        return NativeMemory.getLongAcquire(lines + NUMBER) != served;
    }

    /**
     * The operation asked for.
     *
     * @return as it was written
     */
    public long code() {
        return NativeMemory.getLong(lines + CODE);
    }

    /** The operation asked for has ended. */
    public void servedRelease() {
        served++;
        NativeMemory.putLongRelease(lines + SERVED, served);
    }

    /** Begins the next segment; gives the address of its half. */
    long next() {
        segment++;
        for (Stage stage : stages) {
            stage.begin(segment);
        }
        return memory.address() + (segment & 1) * halfBytes;
    }

    /** The engine has done with the segment. */
    void drainedRelease() {
        NativeMemory.putLongRelease(lines + DRAINED, segment);
    }

    Stage stage(int channel) {
        return stages[channel];
    }
}
