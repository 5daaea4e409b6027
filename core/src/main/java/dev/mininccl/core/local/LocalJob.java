package dev.mininccl.core.local;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.MismatchReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The control plane of ranks that are threads of one process: a rendezvous object that all of them hold. */
public final class LocalJob {

    private static final Duration LAGGARDS_WAIT = Duration.ofMillis(250);

    private final Bootstrap.Listener[] listeners;
    private final byte[][] gathering;
    private int present;
    private long round;
    private List<byte[]> result = List.of();
    private AbortReason reason;

    /** A job of so many ranks. */
    public LocalJob(int size) {
        listeners = new Bootstrap.Listener[size];
        gathering = new byte[size][];
    }

    /** The control plane as one rank sees it. */
    public Bootstrap bootstrap(int rank) {
        return new LocalBootstrap(this, rank, listeners.length);
    }

    /** An interrupted rank is out of step with the others, which therefore hear of it. */
    List<byte[]> allGather(int rank, byte[] mine, Deadline deadline) {
        try {
            return gathered(rank, mine, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            abort(new AbortReason(
                    AbortReason.Kind.CLOSED,
                    rank,
                    -1,
                    "rank " + rank + " was interrupted during an exchange with all ranks"));
            throw CommunicatorException.aborted(reason(), rank, -1);
        }
    }

    private synchronized AbortReason reason() {
        return reason;
    }

    private synchronized List<byte[]> gathered(int rank, byte[] mine, Deadline deadline) throws InterruptedException {
        gathering[rank] = mine.clone();
        long mineRound = round;
        if (++present == gathering.length) {
            result = List.of(gathering);
            Arrays.fill(gathering, null);
            present = 0;
            round++;
            notifyAll();
        }
        while (round == mineRound) {
            if (reason != null) {
                throw CommunicatorException.aborted(reason, rank, -1);
            }
            if (deadline.expired()) {
                throw new CommunicatorException(
                        ResultCode.REMOTE_ERROR, rank, -1, "ranks " + missing() + " did not come in time", null);
            }
            TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
        }
        return result;
    }

    private List<Integer> missing() {
        List<Integer> missing = new ArrayList<>();
        for (int rank = 0; rank < gathering.length; rank++) {
            if (gathering[rank] == null) {
                missing.add(rank);
            }
        }
        return missing;
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

    void abort(AbortReason first) {
        List<Bootstrap.Listener> told;
        synchronized (this) {
            if (reason != null) {
                return;
            }
            reason = first;
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
        abort(new AbortReason(AbortReason.Kind.MISMATCH, rank, sequence, MismatchReport.compose(sequence, called)));
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
            told = present();
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
