package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.schedule.OwnerSchedule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Two-shot all-reduce on memory that all ranks have mapped: the owner of a part reads all copies and stores the result to
 * all, with no slot in between. Only the owner reads or writes a part, so in place is safe. Two short messages fence it:
 * where everyone's buffers lie, and that everyone is done.
 */
final class WindowTwoShot extends AbstractAlgorithm {

    /** Elements are worked off in blocks of this size, so that copies to further ranks come from cache. */
    private static final int BLOCK_BYTES = 64 << 10;

    private static final int IN_WINDOW = 0;
    private static final int OUT_WINDOW = 4;
    private static final int IN_OFFSET = 8;
    private static final int OUT_OFFSET = 16;
    private static final int MESSAGE_BYTES = 24;
    private static final int DONE_BYTES = 8;

    private final WindowTable windows;
    /** Held, so that an automatic arena keeps the memory as long as this object. */
    private final MemorySegment memory;

    private final long message;
    private final Arrivals arrivals;
    private final long[] in;
    private final long[] out;
    private final long[] operands;
    private boolean allRegistered;

    WindowTwoShot(Neighbours neighbours, WindowTable windows, Arena arena) {
        super(neighbours);
        this.windows = windows;
        this.memory = arena.allocate(128, 128);
        this.message = memory.address();
        this.arrivals = new Arrivals(neighbours);
        this.in = new long[ranks];
        this.out = new long[ranks];
        this.operands = new long[ranks];
    }

    /** Whether the collective attempt is worth its messages: some window exists, on all ranks alike. */
    boolean mayServe() {
        return !windows.isEmpty();
    }

    @Override
    public int run(Step step, Waiter waiter) {
        describe(step);
        int ended = exchange(step, waiter, MESSAGE_BYTES);
        if (ended != DONE) {
            return ended;
        }
        if (!allRegistered) {
            return DECLINED;
        }
        reducePart(step);
        return exchange(step, waiter, DONE_BYTES);
    }

    private void describe(Step step) {
        long bytes = step.count * step.elementBytes;
        int inWindow = windows.find(step.in, bytes);
        int outWindow = windows.find(step.out, bytes);
        allRegistered = inWindow >= 0 && outWindow >= 0;
        NativeMemory.putInt(message + IN_WINDOW, inWindow);
        NativeMemory.putInt(message + OUT_WINDOW, outWindow);
        NativeMemory.putLong(message + IN_OFFSET, allRegistered ? windows.offset(inWindow, step.in) : 0);
        NativeMemory.putLong(message + OUT_OFFSET, allRegistered ? windows.offset(outWindow, step.out) : 0);
        in[rank] = step.in;
        out[rank] = step.out;
    }

    /** Sends a message to all peers and receives theirs. */
    private int exchange(Step step, Waiter waiter, int bytes) {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                while (!neighbours.send[peer].offer(message, bytes, step.fingerprint)) {
                    neighbours.progress();
                    if (waiter.idle()) {
                        return stopped(peer);
                    }
                }
            }
        }
        arrivals.expect(message, bytes, step.fingerprint);
        while (!arrivals.complete()) {
            long polled = arrivals.poll();
            if (polled < 0) {
                return failed(arrivals.awaited(), polled);
            }
            if (polled == 0 && !neighbours.progress() && waiter.idle()) {
                return stopped(arrivals.awaited());
            }
        }
        waiter.moved();
        if (bytes == MESSAGE_BYTES) {
            readPeers();
        }
        arrivals.release();
        return drain(waiter);
    }

    private void readPeers() {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                long at = arrivals.at[peer];
                int inWindow = NativeMemory.getInt(at + IN_WINDOW);
                int outWindow = NativeMemory.getInt(at + OUT_WINDOW);
                if (windows.contains(inWindow) && windows.contains(outWindow)) {
                    in[peer] = windows.mapped(inWindow, peer, NativeMemory.getLong(at + IN_OFFSET));
                    out[peer] = windows.mapped(outWindow, peer, NativeMemory.getLong(at + OUT_OFFSET));
                } else {
                    allRegistered = false;
                }
            }
        }
    }

    private void reducePart(Step step) {
        long end = OwnerSchedule.start(step.count, ranks, rank + 1);
        int block = BLOCK_BYTES / step.elementBytes;
        for (long start = OwnerSchedule.start(step.count, ranks, rank); start < end; start += block) {
            reduceBlock(step, start * step.elementBytes, (int) Math.min(block, end - start));
        }
    }

    private void reduceBlock(Step step, long offset, int count) {
        if (ranks == 2) {
            step.reducer.reduceLastTwice(in[0] + offset, in[1] + offset, out[0] + offset, out[1] + offset, count);
            return;
        }
        for (int peer = 0; peer < ranks; peer++) {
            operands[peer] = in[peer] + offset;
        }
        step.reducer.reduceAll(operands, ranks, out[rank] + offset, count);
        long bytes = (long) count * step.elementBytes;
        for (int i = 1; i < ranks; i++) {
            NativeMemory.copy(out[rank] + offset, out[(rank + i) % ranks] + offset, bytes);
        }
    }
}
