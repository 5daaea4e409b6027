package dev.mininccl.core.lane;

import static dev.mininccl.core.lane.LaneLayout.LINE_BYTES;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.SendLane;

/** Copies slices into the slots of a lane that both ranks have mapped, or publishes where they lie. */
final class SlotSender implements SendLane {

    private final int depth;
    private final int slotBytes;
    private final int referenceBytes;
    private final long headers;
    private final long consumed;
    private final long slots;
    private final Credits credits;

    private long offered;
    /** {@code offered} modulo {@code depth}. */
    private int slot;
    /** How many slices were offered when the last reference was among them. */
    private long lastReference;
    /** What {@code released()} was when references began to be outstanding; it must not fall behind that. */
    private long floor;

    SlotSender(LaneLayout layout, long address, int referenceBytes, Credits credits) {
        this.depth = layout.depth();
        this.slotBytes = layout.slotBytes();
        this.referenceBytes = referenceBytes;
        this.headers = address;
        this.consumed = address + layout.consumedOffset();
        this.slots = address + layout.slotsOffset();
        this.credits = credits;
    }

    @Override
    public int slotBytes() {
        return slotBytes;
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int referenceBytes() {
        return referenceBytes;
    }

    @Override
    public boolean offer(long address, int bytes, long fingerprint) {
        if (full()) {
            return false;
        }
        long header = header();
        if (bytes <= SlotHeader.INLINE_BYTES) {
            ShortCopy.copy(address, header + SlotHeader.INLINE, bytes);
        } else {
            NativeMemory.copy(address, slots + (long) slot * slotBytes, bytes);
        }
        publish(header, bytes, fingerprint);
        return true;
    }

    @Override
    public boolean offerReference(long address, int bytes, long fingerprint) {
        if (full()) {
            return false;
        }
        floor = released();
        lastReference = offered + 1;
        long header = header();
        NativeMemory.putLong(header + SlotHeader.REFERENCE, address);
        publish(header, SlotHeader.BY_REFERENCE | bytes, fingerprint);
        return true;
    }

    @Override
    public long claim(int bytes) {
        if (full()) {
            return 0;
        }
        return bytes <= SlotHeader.INLINE_BYTES ? header() + SlotHeader.INLINE : slots + (long) slot * slotBytes;
    }

    @Override
    public void commit(int bytes, long fingerprint) {
        publish(header(), bytes, fingerprint);
    }

    @Override
    public long offered() {
        return offered;
    }

    @Override
    public long released() {
        if (credits.granted >= lastReference || consumedAcquire() >= lastReference) {
            return offered;
        }
        return Math.max(floor, credits.granted);
    }

    /** Slices move when they are offered and when they are received: there is nothing to do between. */
    @Override
    public boolean progress() {
        return false;
    }

    private boolean full() {
        return offered - credits.granted >= depth && offered - consumedAcquire() >= depth;
    }

    /** Looks at the receiver's counter itself, which moves its cache line. */
    private long consumedAcquire() {
        long now = NativeMemory.getLongAcquire(consumed);
        credits.granted = now;
        return now;
    }

    private long header() {
        return headers + (long) slot * LINE_BYTES;
    }

    private void publish(long header, long bytes, long fingerprint) {
        NativeMemory.putLong(header + SlotHeader.FINGERPRINT, fingerprint);
        NativeMemory.putLong(header + SlotHeader.BYTES, bytes);
        NativeMemory.putLong(header + SlotHeader.ACKNOWLEDGED, credits.consumed);
        NativeMemory.putLongRelease(header + SlotHeader.PUBLISHED, ++offered);
        slot = slot + 1 == depth ? 0 : slot + 1;
        fetchNextHeader();
    }

    /**
     * Stores what stands in the next header already, so that its cache line comes here while this rank waits for its
     * peer, and the next slice need not wait until it has been taken from the receiver, who read it last.
     */
    private void fetchNextHeader() {
        NativeMemory.putLong(header() + SlotHeader.PUBLISHED, Math.max(0, offered + 1 - depth));
    }
}
