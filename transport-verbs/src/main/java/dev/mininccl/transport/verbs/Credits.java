package dev.mininccl.transport.verbs;

/** What the two ends of a link tell each other about their progress. Used by the link's thread. */
final class Credits {

    /** How many slices of the sending lane the peer is known to have consumed. */
    long granted;

    /** How many slices of the receiving lane this rank has consumed. */
    long consumed;

    /** The value of {@link #consumed} that was last sent to the peer. */
    long told;

    /** Takes the low half of a counter that is never 2^31 ahead of what is known. */
    void grant(int low) {
        granted = Math.max(granted, granted + (low - (int) granted));
    }
}
