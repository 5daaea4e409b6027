package dev.mininccl.core.host;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortFlag;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;

/**
 * What breaks a communicator: the first reason, from whichever rank or layer, raises the abort flag, goes to all ranks,
 * and becomes the exception of every operation from then on.
 */
public final class Failures implements Bootstrap.Listener, Patience {

    /** How long a local symptom waits for the control plane to name the cause. */
    private static final Duration CAUSE_WAIT = Duration.ofMillis(500);

    /** Between two looks at what the control plane says. */
    private static final long LOOK_NANOS = 200_000;

    /** How long an operation may stand still once a rank has left; what that rank sent before may still be under way. */
    private static final long LEFT_NANOS = Duration.ofSeconds(1).toNanos();

    private final Bootstrap bootstrap;
    private final AbortFlag flag;
    private final LongFunction<String> describe;
    private final Duration timeout;

    private final List<Consumer<AbortReason>> listeners = new CopyOnWriteArrayList<>();
    private final List<IntConsumer> departures = new CopyOnWriteArrayList<>();

    private volatile AbortReason reason;
    private volatile Departure departure;

    /** The first rank that left, and when. */
    private record Departure(int rank, long nanos) {}

    /**
     * Creates it, hearing nothing yet.
     *
     * @param bootstrap carries reasons to the other ranks
     * @param flag is raised with the first reason
     * @param describe says what this rank called under a sequence number, or {@code null}
     * @param timeout the deadline of operations, for messages
     */
    public Failures(Bootstrap bootstrap, AbortFlag flag, LongFunction<String> describe, Duration timeout) {
        this.bootstrap = bootstrap;
        this.flag = flag;
        this.describe = describe;
        this.timeout = timeout;
    }

    @Override
    public void aborted(AbortReason first) {
        synchronized (this) {
            if (reason == null) {
                reason = first;
            }
        }
        flag.raiseRelease();
        for (Consumer<AbortReason> listener : listeners) {
            listener.accept(reason);
        }
    }

    /**
     * Adds someone who hears of the first reason, at once if there is one already; perhaps more than once.
     *
     * @param listener called on any thread; must return quickly
     */
    public void listen(Consumer<AbortReason> listener) {
        listeners.add(listener);
        if (reason != null) {
            listener.accept(reason);
        }
    }

    /**
     * Removes a listener.
     *
     * @param listener as added
     */
    public void forget(Consumer<AbortReason> listener) {
        listeners.remove(listener);
    }

    /**
     * Adds someone who hears of ranks that leave in order, at once if one has left already.
     *
     * @param listener called on any thread with the rank; must return quickly
     */
    public void listenToDepartures(IntConsumer listener) {
        departures.add(listener);
        Departure first = departure;
        if (first != null) {
            listener.accept(first.rank);
        }
    }

    /**
     * Removes a listener.
     *
     * @param listener as added
     */
    public void forgetDepartures(IntConsumer listener) {
        departures.remove(listener);
    }

    @Override
    public void left(int rank) {
        synchronized (this) {
            if (departure == null) {
                departure = new Departure(rank, System.nanoTime());
            }
        }
        departures.forEach(listener -> listener.accept(rank));
    }

    @Override
    public boolean exhausted(long sinceNanos, long nowNanos) {
        long still = nowNanos - sinceNanos;
        Departure first = departure;
        return still > timeout.toNanos()
                || (first != null && still > LEFT_NANOS && nowNanos - first.nanos > LEFT_NANOS);
    }

    @Override
    public String describe(long sequence) {
        return describe.apply(sequence);
    }

    /**
     * The first reason.
     *
     * @return {@code null} while the communicator works
     */
    public AbortReason reason() {
        return reason;
    }

    /**
     * Breaks the communicator for all ranks. Where several ranks abort at once, the control plane says whose reason was the first;
     * where it does not answer, it is this one.
     *
     * @param why what the exceptions will say
     */
    public void abort(AbortReason why) {
        bootstrap.abort(why);
        Duration twentieth = timeout.dividedBy(20); // late by no more than that where nobody answers
        awaitReason(false, twentieth.compareTo(CAUSE_WAIT) < 0 ? twentieth : CAUSE_WAIT);
        aborted(why);
    }

    /** The exception for an operation's bad ending, after telling the other ranks. */
    RuntimeException failed(Channel channel, int ended, long sequence) {
        note(channel, ended, sequence);
        return exception(sequence);
    }

    /** Tells the other ranks of a bad ending. */
    void note(Channel channel, int ended, long sequence) {
        switch (ended) {
            case Algorithm.MISMATCHED -> {
                bootstrap.reportMismatch(sequence);
                awaitReason(true, CAUSE_WAIT);
                if (reason == null) {
                    abort(new AbortReason(
                            Kind.MISMATCH,
                            bootstrap.rank(),
                            sequence,
                            "rank " + bootstrap.rank() + " and rank " + channel.culprit() + " disagree on operation #"
                                    + sequence + "; this rank called " + describe(sequence)));
                }
            }
            case Algorithm.BROKEN -> {
                // The control plane knows better: a lane breaks because its peer died.
                awaitReason(true, CAUSE_WAIT);
                if (reason == null) {
                    abortFor(Kind.TRANSPORT, channel.culprit(), sequence, channel.failure(channel.culprit()));
                }
            }
            default -> {
                if (channel.expired() && reason == null) {
                    abortFor(Kind.TIMEOUT, bootstrap.rank(), sequence, stalled(channel, sequence));
                }
            }
        }
    }

    /** The exception for something thrown where nothing may be. */
    RuntimeException threw(Throwable thrown, long sequence) {
        abort(new AbortReason(Kind.INTERNAL, bootstrap.rank(), sequence, "internal error: " + thrown));
        return new CommunicatorException(
                ResultCode.INTERNAL_ERROR, bootstrap.rank(), sequence, "internal error: " + thrown, thrown);
    }

    /**
     * The exception for an operation that finds the communicator broken.
     *
     * @param sequence the operation's number, or -1
     * @return not thrown
     */
    public CommunicatorException exception(long sequence) {
        AbortReason first = reason;
        if (first == null) {
            first = new AbortReason(
                    Kind.INTERNAL, bootstrap.rank(), sequence, "the operation stopped for no known reason");
        }
        return CommunicatorException.aborted(first, bootstrap.rank(), sequence);
    }

    /** Where a rank has left, that is the cause, whatever the symptom. */
    private void abortFor(Kind kind, int rank, long sequence, String symptom) {
        Departure first = departure;
        if (first == null) {
            abort(new AbortReason(kind, rank, sequence, symptom));
            return;
        }
        String text = "rank " + first.rank + " closed its communicator, but rank " + bootstrap.rank()
                + " waits in operation #" + sequence + " (" + describe(sequence)
                + "), which needs all ranks: make the same calls on every rank, then join anew";
        abort(new AbortReason(Kind.CLOSED, first.rank, sequence, text));
    }

    private String stalled(Channel channel, long sequence) {
        int peer = channel.culprit();
        return "operation #" + sequence + " (" + describe(sequence) + ") on rank " + bootstrap.rank()
                + " stood still for "
                + timeout.toMillis() + " ms, waiting for " + (peer < 0 ? "its peers" : "rank " + peer)
                + "; check that every rank makes the same calls, or raise MINI_NCCL_TIMEOUT";
    }

    /** Until the control plane has named a reason, or that a rank has left, where that explains the symptom too. */
    private void awaitReason(boolean orDeparture, Duration limit) {
        Deadline deadline = Deadline.after(limit);
        while (reason == null && !(orDeparture && departure != null) && !deadline.expired()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
