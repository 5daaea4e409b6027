package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.SendLane;

/**
 * Writes slices to the peer's slots: a short slice in its line with one request, a longer one with two. What lies in
 * registered user memory leaves from there and counts as released once the device reports it done; all else is copied to a
 * registered slot and counts as released once posted.
 */
final class VerbsSendLane implements SendLane {

    private static final int LOOK_EVERY = 16;

    private final SlabLayout layout;
    private final SendQueue queue;
    private final Credits credits;
    private final LinkFailure failure;
    private final VerbsReceiveLane receive;
    private final UserRegions regions;
    private final long base;
    private final long lines;
    private final long slots;

    private long remoteLines;
    private long remoteSlots;
    private long offered;
    /** {@code offered} modulo depth. */
    private int slot;

    private long released;
    /** {@code released} modulo depth. */
    private int releasedSlot;
    /** By slot: the request after which user memory is free again, 0 for a slice that was copied. */
    private final long[] inUseUntil;

    private long sentInPlace;
    private int looks;

    VerbsSendLane(
            SlabLayout layout,
            long base,
            SendQueue queue,
            Credits credits,
            LinkFailure failure,
            VerbsReceiveLane receive,
            UserRegions regions) {
        this.layout = layout;
        this.queue = queue;
        this.credits = credits;
        this.failure = failure;
        this.receive = receive;
        this.regions = regions;
        this.base = base;
        lines = base + layout.sendLines();
        slots = base + layout.sendSlots();
        inUseUntil = new long[layout.depth()];
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
            inUseUntil[slot] = 0;
            queue.write(line, WordLine.pack(line, number, address, bytes), remoteLine, false);
        } else {
            offerLong(address, bytes, line, remoteLine);
        }
        slot = slot + 1 == layout.depth() ? 0 : slot + 1;
        return true;
    }

    private void offerLong(long address, int bytes, long line, long remoteLine) {
        long offset = (long) slot * layout.slotBytes();
        long key = regions.key(address, bytes);
        if (key == UserRegions.ABSENT) {
            inUseUntil[slot] = 0;
            NativeMemory.copy(address, slots + offset, bytes);
            queue.write(slots + offset, bytes, remoteSlots + offset, line, WordLine.HEADER_BYTES, remoteLine);
        } else {
            queue.writeFrom((int) key, address, bytes, remoteSlots + offset, line, WordLine.HEADER_BYTES, remoteLine);
            inUseUntil[slot] = queue.posted();
            sentInPlace += bytes;
        }
    }

    /** How many bytes left without a copy. */
    long sentInPlace() {
        return sentInPlace;
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
        while (released < offered && inUseUntil[releasedSlot] <= queue.completed()) {
            released++;
            releasedSlot = releasedSlot + 1 == layout.depth() ? 0 : releasedSlot + 1;
        }
        return released;
    }

    /** Looks for completions each time only while memory waits to be released; else they can wait, and looking takes time. */
    @Override
    public boolean progress() {
        if (++looks % LOOK_EVERY != 0 && released() == offered) {
            return false;
        }
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
