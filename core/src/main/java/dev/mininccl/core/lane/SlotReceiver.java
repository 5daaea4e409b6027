package dev.mininccl.core.lane;

import static dev.mininccl.core.lane.LaneLayout.LINE_BYTES;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.ReceiveLane;

/** Takes slices out of the slots of a lane that both ranks have mapped, or reads them where its peer left them. */
final class SlotReceiver implements ReceiveLane {

    private final int depth;
    private final int slotBytes;
    private final long headers;
    private final long consumed;
    private final long slots;
    private final Credits credits;
    private final PeerMemory peerMemory;

    /** The number of the slice that comes next. */
    private long next = 1;
    /** Its place. */
    private int slot;

    private long destination;
    private int bytes;
    private long fingerprint;
    private boolean failed;

    SlotReceiver(LaneLayout layout, long address, Credits credits, PeerMemory peerMemory) {
        this.depth = layout.depth();
        this.slotBytes = layout.slotBytes();
        this.headers = address;
        this.consumed = address + layout.consumedOffset();
        this.slots = address + layout.slotsOffset();
        this.credits = credits;
        this.peerMemory = peerMemory;
    }

    @Override
    public void expect(long destination, int bytes, long fingerprint) {
        this.destination = destination;
        this.bytes = bytes;
        this.fingerprint = fingerprint;
    }

    @Override
    public long poll() {
        long header = headers + (long) slot * LINE_BYTES;
        if (NativeMemory.getLongAcquire(header + SlotHeader.PUBLISHED) != next) {
            return NOTHING;
        }
        return take(header);
    }

    private long take(long header) {
        credits.granted = Math.max(credits.granted, NativeMemory.getLong(header + SlotHeader.ACKNOWLEDGED));
        long length = NativeMemory.getLong(header + SlotHeader.BYTES);
        if (NativeMemory.getLong(header + SlotHeader.FINGERPRINT) != fingerprint || (int) length != bytes) {
            return MISMATCH;
        }
        if (length != bytes) {
            return fetch(NativeMemory.getLong(header + SlotHeader.REFERENCE));
        }
        return bytes <= SlotHeader.INLINE_BYTES ? inline(header) : flat();
    }

    private long inline(long header) {
        if (destination == 0) {
            return header + SlotHeader.INLINE;
        }
        ShortCopy.copy(header + SlotHeader.INLINE, destination, bytes);
        return destination;
    }

    private long flat() {
        long source = slots + (long) slot * slotBytes;
        if (destination == 0) {
            return source;
        }
        NativeMemory.copy(source, destination, bytes);
        return destination;
    }

    private long fetch(long address) {
        long here = peerMemory.fetch(address, bytes, destination);
        failed |= here == FAILED;
        return here;
    }

    @Override
    public void release() {
        credits.consumed = next;
        NativeMemory.putLongRelease(consumed, next);
        next++;
        slot = slot + 1 == depth ? 0 : slot + 1;
    }

    @Override
    public String failure() {
        return failed ? peerMemory.failure() : null;
    }
}
