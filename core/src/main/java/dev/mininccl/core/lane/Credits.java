package dev.mininccl.core.lane;

/** What the two ends of a link tell each other: each header carries the one lane's progress on the other lane's way. */
final class Credits {

    /** How many slices of the sending lane the peer is known to have consumed. */
    long granted;

    /** How many slices of the receiving lane this rank has consumed. */
    long consumed;
}
