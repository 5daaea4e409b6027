package dev.mininccl.core.gpu;

import dev.mininccl.bindings.cuda.PointerQuery;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;

/** Refuses buffers that a kernel of this device could not use, before anything is enqueued. */
final class BufferCheck {
    /** A power of two. */
    private static final int REMEMBERED = 64;

    /** How often a buffer is taken on trust before the driver is asked about it again. */
    private static final int TRUST = 255;

    private final int device;
    private final PointerQuery query;
    private final long[] known = new long[REMEMBERED];
    private final long[] knownBytes = new long[REMEMBERED];
    private final int[] trust = new int[REMEMBERED];

    BufferCheck(int device, Arena arena) {
        this.device = device;
        query = new PointerQuery(arena);
    }

    /** Cheap checks of a call's arguments. */
    static void arguments(
            Collective collective, long input, long output, long count, DataType type, int rank, int ranks) {
        switch (collective) {
            case ALL_REDUCE -> arguments(input, output, count, type);
            case ALL_GATHER -> parts(input, output, count, rank, ranks, type);
            case REDUCE_SCATTER -> parts(output, input, count, rank, ranks, type);
        }
    }

    /** Of an all-reduce. */
    static void arguments(long input, long output, long count, DataType type) {
        elements(input, output, count, type);
        long bytes = count * type.bytes();
        if (input != output && input < output + bytes && output < input + bytes) {
            throw new InvalidCallException(
                    buffers(input, output) + " of " + bytes + " bytes overlap: must be the same or apart");
        }
    }

    /** As {@link #arguments}, where one buffer has one part and lies at its rank's place in the other, or apart. */
    static void parts(long part, long whole, long count, int rank, int ranks, DataType type) {
        elements(part, whole, count, type);
        long bytes = count * type.bytes();
        if (part != whole + rank * bytes && part < whole + ranks * bytes && whole < part + bytes) {
            throw new InvalidCallException(buffers(part, whole) + " overlap: the one with " + bytes
                    + " bytes must begin " + rank * bytes + " bytes into the other, which is in place for rank " + rank
                    + ", or be apart");
        }
    }

    private static void elements(long one, long other, long count, DataType type) {
        if (count < 0 || count > OperationCode.MAX_COUNT) {
            throw new InvalidCallException("count " + count + ": must be 0 to " + OperationCode.MAX_COUNT);
        }
        if (((one | other) & (type.bytes() - 1)) != 0) {
            throw new InvalidCallException(buffers(one, other) + ": must be aligned to " + type.bytes()
                    + " bytes, an element of " + type.label());
        }
    }

    private static String buffers(long one, long other) {
        return "buffers 0x" + Long.toHexString(one) + " and 0x" + Long.toHexString(other);
    }

    /** Both buffers of a call, where a part, or all there is, has so many bytes. The context must be current. */
    void memory(Collective collective, long input, long output, long bytes, int ranks) {
        boolean parts = collective != Collective.ALL_REDUCE;
        memory(parts ? "send" : "input", input, collective.inputs(ranks) * bytes);
        if (parts || output != input) { // an all-reduce in place has one buffer
            memory(parts ? "recv" : "output", output, collective.outputs(ranks) * bytes);
        }
    }

    /**
     * Asks the driver what an address is, but for buffers that were right a short while ago. Allocates
     * nothing if all is well.
     */
    private void memory(String name, long address, long bytes) {
        int slot = (int) ((address * 0x9E3779B97F4A7C15L) >>> 58) & (REMEMBERED - 1);
        if (known[slot] == address && knownBytes[slot] >= bytes && trust[slot]-- > 0) {
            return;
        }
        known[slot] = 0;
        ask(name, address, bytes);
        known[slot] = address;
        knownBytes[slot] = bytes;
        trust[slot] = TRUST;
    }

    private void ask(String name, long address, long bytes) {
        if (!query.ask(address)) {
            throw refused(
                    name,
                    address,
                    "memory that CUDA does not know (ordinary host memory, or freed): must be device memory");
        }
        if (query.device() != device) {
            throw refused(
                    name, address, "on GPU " + query.device() + ": must be on GPU " + device + ", the communicator's");
        }
        long end = query.start() + query.bytes();
        if (query.bytes() != 0 && address + bytes > end) {
            throw refused(
                    name, address, "too small: " + bytes + " bytes are needed, the allocation has " + (end - address));
        }
    }

    private static InvalidCallException refused(String name, long address, String why) {
        return new InvalidCallException(name + " 0x" + Long.toHexString(address) + " is " + why);
    }
}
