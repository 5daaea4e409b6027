package dev.mininccl.core.host;

/**
 * Runs one all-reduce over lanes. An algorithm keeps its place in fields, so that it is one object a channel and allocates
 * nothing. It returns how it ended; the engine turns anything but {@link #DONE} into an exception.
 */
interface Algorithm {

    /** The output is complete and the input may be overwritten. */
    int DONE = 0;

    /** The waiter says stop. */
    int STOPPED = 1;

    /** A lane's {@code poll} said MISMATCH; {@link #culprit} is the peer. */
    int MISMATCHED = 2;

    /** A lane's {@code poll} said FAILED; {@link #culprit} is the peer. */
    int BROKEN = 3;

    /** The algorithm cannot serve this operation on some rank, and all ranks know it: nothing was done. */
    int DECLINED = 4;

    /** Runs the operation. */
    int run(Step step, Waiter waiter);

    /** The peer that the last ending other than DONE is about. */
    int culprit();
}
