package dev.mininccl.bindings.ibverbs;

/**
 * How often a queue pair sends again before it reports an error.
 *
 * @param timeout wait for an acknowledgement of 4.096 µs times 2 to the power of this, 1 to 31; 0 for ever. 14 is 67 ms
 * @param count how often to send again without one, 0 to 7; Soft-RoCE takes 7 as for ever
 * @param receiverNotReady how often to send again when the peer has posted no receive, 0 to 6; 7 for ever
 */
public record Retry(int timeout, int count, int receiverNotReady) {
    /** Checks the ranges. */
    public Retry {
        RemotePath.inRange("timeout", timeout, 0, 31);
        RemotePath.inRange("count", count, 0, 7);
        RemotePath.inRange("receiverNotReady", receiverNotReady, 0, 7);
    }
}
