package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where a rank's buffers lie, as ranks tell each other before an operation on memory that all have mapped. */
final class WindowMessage {

    static final int BYTES = 24;

    private static final int IN_WINDOW = 0;
    private static final int OUT_WINDOW = 4;
    private static final int IN_OFFSET = 8;
    private static final int OUT_OFFSET = 16;
    private static final long LINE = 128;

    private final int rank;
    private final WindowTable windows;
    /** Held, so that an automatic arena keeps the memory as long as this object. */
    private final MemorySegment memory;

    private final long address;

    /** Where the buffers of the peer read last lie in this process. */
    long in;

    /** Of an all-reduce: the halves write only to their own. */
    long out;

    WindowMessage(int rank, WindowTable windows, Arena arena) {
        this.rank = rank;
        this.windows = windows;
        this.memory = arena.allocate(LINE, LINE);
        this.address = memory.address();
    }

    /** Where the message to the peers lies. */
    long address() {
        return address;
    }

    /** Writes the message; false if this rank's buffers lie in no window, which it then says. */
    boolean describe(Step step) {
        long input = step.inputStart(step.in, rank);
        long output = step.allReduces() ? step.out : input;
        int inWindow = windows.find(input, step.inputExtent());
        int outWindow = step.allReduces() ? windows.find(output, step.inputExtent()) : inWindow;
        boolean registered = inWindow >= 0 && outWindow >= 0;
        NativeMemory.putInt(address + IN_WINDOW, inWindow);
        NativeMemory.putInt(address + OUT_WINDOW, outWindow);
        NativeMemory.putLong(
                address + IN_OFFSET, registered ? windows.get(inWindow).offset(input) : 0);
        NativeMemory.putLong(
                address + OUT_OFFSET, registered ? windows.get(outWindow).offset(output) : 0);
        return registered;
    }

    /** Reads a peer's message to {@link #in} and {@link #out}; false if its buffers lie in no window. */
    boolean read(long at, int peer, long extent) {
        in = windows.locate(NativeMemory.getInt(at + IN_WINDOW), peer, NativeMemory.getLong(at + IN_OFFSET), extent);
        out = windows.locate(NativeMemory.getInt(at + OUT_WINDOW), peer, NativeMemory.getLong(at + OUT_OFFSET), extent);
        return in != 0 && out != 0;
    }
}
