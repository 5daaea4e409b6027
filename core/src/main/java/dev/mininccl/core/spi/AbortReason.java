package dev.mininccl.core.spi;

import java.util.Objects;

/**
 * Why a communicator was aborted. The first reason wins and travels with the exception of every rank.
 *
 * @param kind what went wrong
 * @param rank the rank at fault, or the one that noticed; -1 where no single rank can be named
 * @param sequence the operation's sequence number, or -1 outside an operation
 * @param message what happened, to whom, with which values, and what to do next
 */
public record AbortReason(Kind kind, int rank, long sequence, String message) {

    /** The kinds of failure, in the order of their wire codes; append only. */
    public enum Kind {
        /** A rank's process or its control connection is gone. */
        PEER_LOST,
        /** Ranks called different operations under one sequence number. */
        MISMATCH,
        /** A deadline passed. */
        TIMEOUT,
        /** A transport or device failed under a rank. */
        TRANSPORT,
        /** A rank closed or aborted its communicator while others still used theirs. */
        CLOSED,
        /** A defect of this library, or a failure that fits nothing above. */
        INTERNAL
    }

    /** Checks that nothing is missing. */
    public AbortReason {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(message, "message");
    }
}
