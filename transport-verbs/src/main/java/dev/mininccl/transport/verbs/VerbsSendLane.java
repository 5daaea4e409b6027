package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.SendLane;

/**
 * Copies slices into registered slots and writes them to the peer's: a short slice in its line with one request, a longer
 * one with two. A slice counts as released once posted: it lies in the slot, and the device needs no more help.
 */
final class VerbsSendLane implements SendLane {

    private final SlabLayout layout;
    private final SendQueue queue;
    private final Credits credits;
    private final LinkFailure failure;
    private final VerbsReceiveLane receive;
    private final long base;
    private final long lines;
    private final long slots;

    private long remoteLines;
    private long remoteSlots;
    private long offered;
    /** {@code offered} modulo depth. */
    private int slot;

    VerbsSendLane(
            SlabLayout layout,
            long base,
            SendQueue queue,
            Credits credits,
            LinkFailure failure,
            VerbsReceiveLane receive) {
        this.layout = layout;
        this.queue = queue;
        this.credits = credits;
        this.failure = failure;
        this.receive = receive;
        this.base = base;
        lines = base + layout.sendLines();
        slots = base + layout.sendSlots();
    }

    /** Called before the first slice. */
    void connect(long remoteBase) {
        remoteLines = remoteBase + layout.receiveLines();
        remoteSlots = remoteBase + layout.receiveSlots();
    }

    @Override
    public int slotBytes() {
        return layout.slotBytes();
    }

    @Override
    public int depth() {
        return layout.depth();
    }

    @Override
    public int referenceBytes() {
        return 0;
    }

    @Override
    public boolean offer(long address, int bytes, long fingerprint) {
        boolean isShort = bytes <= WordLine.SHORT_BYTES;
        if (full() || failure.failed() || !queue.roomForSlice(isShort ? 1 : 2)) {
            return false;
        }
        long number = ++offered;
        long line = lines + (long) slot * WordLine.BYTES;
        long remoteLine = remoteLines + (long) slot * WordLine.BYTES;
        WordLine.head(line, number, fingerprint, bytes, credits.consumed);
        credits.told = credits.consumed;
        if (isShort) {
            queue.write(line, WordLine.pack(line, number, address, bytes), remoteLine, false);
        } else {
            long offset = (long) slot * layout.slotBytes();
            NativeMemory.copy(address, slots + offset, bytes);
            queue.write(slots + offset, bytes, remoteSlots + offset, line, WordLine.HEADER_BYTES, remoteLine);
        }
        slot = slot + 1 == layout.depth() ? 0 : slot + 1;
        return true;
    }

    @Override
    public boolean offerReference(long address, int bytes, long fingerprint) {
        return false;
    }

    @Override
    public long offered() {
        return offered;
    }

    @Override
    public long released() {
        return offered;
    }

    @Override
    public boolean progress() {
        boolean moved = queue.poll();
        receive.tellLate();
        receive.nudge();
        return moved;
    }

    private boolean full() {
        if (offered - credits.granted < layout.depth()) {
            return false;
        }
        credits.granted = Math.max(credits.granted, NativeMemory.getLongAcquire(base + SlabLayout.CREDIT));
        receive.takeCredits();
        return offered - credits.granted >= layout.depth();
    }
}
