package dev.mininccl.jcstress;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.lane.LaneLayout;
import dev.mininccl.core.lane.PeerMemory;
import dev.mininccl.core.lane.SlotLink;
import dev.mininccl.core.spi.Link;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Both ends of a link with two slots each way, in memory of their own that goes with the object. */
class Lanes {

    /** The longest slice. */
    static final int SLOT_BYTES = 128;

    final End zero;
    final End one;
    private final MemorySegment memory;

    Lanes() {
        LaneLayout layout = new LaneLayout(2, SLOT_BYTES);
        memory = Arena.ofAuto().allocate(2 * layout.bytes() + 2 * SLOT_BYTES, LaneLayout.LINE_BYTES);
        long up = memory.address();
        long down = up + layout.bytes();
        long sources = down + layout.bytes();
        zero = new End(new SlotLink(layout, up, down, 0, PeerMemory.NONE, ""), sources);
        one = new End(new SlotLink(layout, down, up, 0, PeerMemory.NONE, ""), sources + SLOT_BYTES);
    }

    /** One end, and where its slices lie before they are sent. */
    record End(Link link, long source) {

        private static final long FINGERPRINT = 1;

        /** Offers a slice whose first and last word are a value. */
        boolean offer(int bytes, long value) {
            NativeMemory.putLong(source, value);
            NativeMemory.putLong(source + bytes - Long.BYTES, value);
            return link.send().offer(source, bytes, FINGERPRINT);
        }

        /** The value of the next slice, 0 if there is none, -1 if its words differ or it is no slice. */
        long poll(int bytes) {
            link.receive().expect(0, bytes, FINGERPRINT);
            long address = link.receive().poll();
            if (address <= 0) {
                return address;
            }
            long first = NativeMemory.getLong(address);
            return first == NativeMemory.getLong(address + bytes - Long.BYTES) ? first : -1;
        }

        void release() {
            link.receive().release();
        }
    }
}
