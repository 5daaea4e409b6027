package dev.mininccl.core.gpu;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import java.util.function.Consumer;

/** Why an engine stopped: the first reason wins, whether the host gave it or a kernel. */
final class StopReasons {
    private final int rank;
    private final StopWords words;
    private final Consumer<AbortReason> broken;
    private volatile AbortReason first;
    private volatile boolean closed;
    /** Closed while nothing was wrong: a later call is a mistake of this rank alone. */
    private volatile boolean closedInOrder;

    private boolean wordsGone;

    /**
     * Nothing has happened yet.
     *
     * @param broken hears the reason if it was the engine that noticed
     */
    StopReasons(int rank, StopWords words, Consumer<AbortReason> broken) {
        this.rank = rank;
        this.words = words;
        this.broken = broken;
    }

    /** For the host to stop kernels with. */
    synchronized void abort(AbortReason reason) {
        if (first == null) {
            first = reason;
        }
        if (!wordsGone) {
            words.raiseRelease();
        }
    }

    /** The words are about to be freed; after {@link #close}. */
    synchronized void forgetWords() {
        wordsGone = true;
    }

    /** Whether calls must fail; cheap. */
    boolean stoppedAcquire() {
        return closed || words.raisedAcquire();
    }

    void throwIfStopped() {
        if (closedInOrder) {
            throw new InvalidCallException(ResultCode.INVALID_USAGE, "the device's communicator is closed");
        }
        if (stoppedAcquire()) {
            throw failure();
        }
    }

    /** Marks the end; false if it was marked before. */
    boolean close() {
        boolean now = !closed;
        if (now) {
            closedInOrder = first == null && !words.raisedAcquire();
        }
        closed = true;
        return now;
    }

    /** That of a rank which left in order. */
    static AbortReason departure(int peer) {
        return new AbortReason(
                AbortReason.Kind.CLOSED,
                peer,
                -1,
                "gpu: rank " + peer
                        + " closed its communicator, and operations need all ranks: make the same calls on every rank, then"
                        + " join anew");
    }

    /** That of a call which took longer than an operation may. */
    static AbortReason late(int rank) {
        return new AbortReason(
                AbortReason.Kind.TIMEOUT, rank, -1, "gpu: a blocking call of rank " + rank + " did not end in time");
    }

    private CommunicatorException failure() {
        AbortReason reason = first;
        if (reason == null) {
            reason = closed
                    ? new AbortReason(AbortReason.Kind.CLOSED, rank, -1, "the communicator is closed")
                    : kernelReason();
            first = reason;
            broken.accept(reason);
        }
        return CommunicatorException.aborted(reason, rank, reason.sequence());
    }

    private AbortReason kernelReason() {
        long sequence = words.sequence();
        String expected = OperationCode.describe(words.expected());
        if (words.reason() == StopWords.DISAGREEMENT) {
            return new AbortReason(
                    AbortReason.Kind.MISMATCH,
                    words.peer(),
                    sequence,
                    "gpu: operation #" + sequence + " differs: rank " + rank + " called " + expected + "; rank "
                            + words.peer() + " called " + OperationCode.describe(words.seen())
                            + "; all ranks must make the same calls in the same order");
        }
        return new AbortReason(
                AbortReason.Kind.TIMEOUT,
                rank,
                sequence,
                "gpu: operation #" + sequence + " (" + expected + ") of rank " + rank
                        + " did not end in time: a peer has not called it, or is gone");
    }
}
