package dev.mininccl.core.lane;

import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/** Two lanes of slots in memory that both ranks reach. The memory belongs to the transport and must outlive the link. */
public final class SlotLink implements Link {

    private final SlotSender send;
    private final SlotReceiver receive;
    private final String description;

    /**
     * Makes this rank's ends of both lanes. The memory must be zero.
     *
     * @param layout of each lane, the same for both ranks
     * @param sendAddress where the lane to the peer lies, 128-byte aligned
     * @param receiveAddress where the lane from the peer lies, 128-byte aligned
     * @param referenceBytes the longest slice that the peer reads from this rank's memory, 0 if it cannot
     * @param peerMemory how this rank reads its peer's memory
     * @param description one line for {@code explain()}
     */
    public SlotLink(
            LaneLayout layout,
            long sendAddress,
            long receiveAddress,
            int referenceBytes,
            PeerMemory peerMemory,
            String description) {
        Credits credits = new Credits();
        this.send = new SlotSender(layout, sendAddress, referenceBytes, credits);
        this.receive = new SlotReceiver(layout, receiveAddress, credits, peerMemory);
        this.description = description;
    }

    @Override
    public SendLane send() {
        return send;
    }

    @Override
    public ReceiveLane receive() {
        return receive;
    }

    @Override
    public String description() {
        return description;
    }

    /** Holds nothing of its own. */
    @Override
    public void close() {}
}
