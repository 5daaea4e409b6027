package dev.mininccl.bindings.ibverbs;

/**
 * How a queue pair is made. Each request has one scatter-gather entry.
 *
 * @param sendQueue where sends complete
 * @param receiveQueue where receives complete; may be the same
 * @param maxSends most sends outstanding, 1 or more
 * @param maxReceives most receives outstanding, 0 or more
 * @param maxInline most bytes a request may carry itself, 0 or more
 * @param signalAll whether every send is reported, not only those flagged {@link SendRequests#SIGNALED}
 */
public record QueuePairOptions(
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        int maxSends,
        int maxReceives,
        int maxInline,
        boolean signalAll) {

    /** Checks the sizes. */
    public QueuePairOptions {
        atLeast("maxSends", maxSends, 1);
        atLeast("maxReceives", maxReceives, 0);
        atLeast("maxInline", maxInline, 0);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " " + value + " is not " + least + " or more");
        }
    }

    String sizes() {
        return maxSends + " sends, " + maxReceives + " receives, " + maxInline + " bytes inline";
    }
}
