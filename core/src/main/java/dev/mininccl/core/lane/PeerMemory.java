package dev.mininccl.core.lane;

import dev.mininccl.core.spi.ReceiveLane;

/** How a receiver gets at a slice that its peer left where it lay. Chosen when the lane is made. */
public interface PeerMemory {

    /** For peers whose memory cannot be reached: they must not offer references. */
    PeerMemory NONE = new PeerMemory() {
        @Override
        public long fetch(long address, int bytes, long destination) {
            return ReceiveLane.FAILED;
        }

        @Override
        public String failure() {
            return "the peer offered a slice by reference although its memory cannot be read from here";
        }
    };

    /**
     * Brings a slice within reach.
     *
     * @param address where it lies in the peer's address space
     * @param bytes its length
     * @param destination where to put it, or 0 to leave the place to this object
     * @return the address at which the whole slice lies until the next call, or {@link ReceiveLane#FAILED}
     */
    long fetch(long address, int bytes, long destination);

    /**
     * Why {@link #fetch} failed; asked for only after it did.
     *
     * @return a sentence naming transport, peer and cause
     */
    String failure();
}
