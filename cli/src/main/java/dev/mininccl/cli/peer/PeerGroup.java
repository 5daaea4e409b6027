package dev.mininccl.cli.peer;

/** The ranks that join with a peer library: what it needs to find itself. */
public interface PeerGroup {

    /**
     * This rank.
     *
     * @return 0 to {@link #size()} - 1
     */
    int rank();

    /**
     * How many ranks there are.
     *
     * @return at least 1
     */
    int size();

    /**
     * Gives all ranks the bytes of rank 0. All ranks call it together with arrays of one length.
     *
     * @param mine what counts on rank 0
     * @return rank 0's bytes
     */
    byte[] fromFirst(byte[] mine);
}
