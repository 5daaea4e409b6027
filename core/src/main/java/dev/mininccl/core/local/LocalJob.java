package dev.mininccl.core.local;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.MismatchReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** The control plane of ranks that are threads of one process: a rendezvous object that all of them hold. */
public final class LocalJob {

    private static final Duration LAGGARDS_WAIT = Duration.ofMillis(250);

    private final Bootstrap.Listener[] listeners;
    private Round round;
    private AbortReason reason;
    /** A rank that has left, or -1. */
    private int left = -1;

    /** The parts of one exchange, by rank. */
    private record Round(byte[][] parts) {

        Round(int size) {
            this(new byte[size][]);
        }

        boolean complete() {
            return missing().isEmpty();
        }

        List<Integer> missing() {
            return IntStream.range(0, parts.length)
                    .filter(rank -> parts[rank] == null)
                    .boxed()
                    .toList();
        }

        List<byte[]> result() {
            return List.of(parts);
        }
    }

    /** A job of so many ranks. */
    public LocalJob(int size) {
        listeners = new Bootstrap.Listener[size];
        round = new Round(size);
    }

    /** The control plane as one rank sees it. */
    public Bootstrap bootstrap(int rank) {
        return new LocalBootstrap(this, rank, listeners.length);
    }

    List<byte[]> allGather(int rank, byte[] mine, Deadline deadline) {
        Round entered;
        AbortReason obstacle;
        synchronized (this) {
            // Another thread of this rank may be in the round that is under way.
            obstacle = await(() -> round.parts[rank] == null, rank, deadline);
            entered = round;
            if (obstacle == null) {
                enter(rank, mine);
                obstacle = await(entered::complete, rank, deadline);
            }
        }
        if (obstacle != null) {
            abort(obstacle);
            throw CommunicatorException.aborted(reason(), rank, -1);
        }
        return entered.result();
    }

    private void enter(int rank, byte[] mine) {
        round.parts[rank] = mine.clone();
        if (round.complete()) {
            round = new Round(listeners.length);
            notifyAll();
        }
    }

    /** Why what a rank waits for will never be, {@code null} once it is. */
    private AbortReason await(BooleanSupplier met, int rank, Deadline deadline) {
        while (!met.getAsBoolean()) {
            if (reason != null) {
                return reason;
            }
            if (left >= 0) {
                String text = "rank " + left + " closed its communicator while others still use theirs: rank " + rank
                        + " waits for an exchange with all ranks";
                return new AbortReason(Kind.CLOSED, left, -1, text);
            }
            if (deadline.expired()) {
                return new AbortReason(Kind.TIMEOUT, rank, -1, "ranks " + round.missing() + " did not come in time");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, deadline.remainingNanos()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                String text = "rank " + rank + " was interrupted during an exchange with all ranks";
                return new AbortReason(Kind.CLOSED, rank, -1, text);
            }
        }
        return null;
    }

    private synchronized AbortReason reason() {
        return reason;
    }

    void listen(int rank, Bootstrap.Listener listener) {
        AbortReason earlier;
        synchronized (this) {
            listeners[rank] = listener;
            earlier = reason;
        }
        if (earlier != null) {
            listener.aborted(earlier);
        }
    }

    /** All hear of the first reason, also if it was another: then who says it may have been faster than who is told. */
    void abort(AbortReason why) {
        AbortReason first;
        List<Bootstrap.Listener> told;
        synchronized (this) {
            reason = reason == null ? why : reason;
            first = reason;
            told = present();
            notifyAll();
        }
        told.forEach(listener -> listener.aborted(first));
    }

    void reportMismatch(int rank, long sequence) {
        Bootstrap.Listener[] asked;
        synchronized (this) {
            if (reason != null) {
                return;
            }
            asked = listeners.clone();
        }
        Deadline deadline = Deadline.after(LAGGARDS_WAIT);
        List<String> called = described(asked, sequence);
        // A rank that is on its way to the call makes for a better message.
        while (called.contains(null) && !deadline.expired()) {
            LockSupport.parkNanos(1_000_000);
            called = described(asked, sequence);
        }
        abort(new AbortReason(Kind.MISMATCH, rank, sequence, MismatchReport.compose(sequence, called)));
    }

    private static List<String> described(Bootstrap.Listener[] asked, long sequence) {
        List<String> called = new ArrayList<>();
        for (Bootstrap.Listener listener : asked) {
            called.add(listener == null ? null : listener.describe(sequence));
        }
        return called;
    }

    void leave(int rank) {
        List<Bootstrap.Listener> told;
        synchronized (this) {
            listeners[rank] = null;
            left = rank;
            told = present();
            notifyAll();
        }
        told.forEach(listener -> listener.left(rank));
    }

    private List<Bootstrap.Listener> present() {
        List<Bootstrap.Listener> present = new ArrayList<>();
        for (Bootstrap.Listener listener : listeners) {
            if (listener != null) {
                present.add(listener);
            }
        }
        return present;
    }
}
