package dev.mininccl.hera.worker;

import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.hera.master.MasterServer;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Liveness;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.ProtocolException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** A rank of a running job, and its connection to the master. */
public final class HeraBootstrap implements Bootstrap {

    /** How much later than the master, which can name who is missing, this side gives up. */
    static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Silence is waited for in parts, of which a process that was stopped itself loses only one. */
    private static final int SILENT_WAITS = 5;

    /** How long an orderly leave may take. */
    private static final Duration LEAVE_LIMIT = Duration.ofSeconds(1);

    /** How long a master inside this rank goes on for ranks of other processes. */
    private static final Duration HOST_LIMIT = Duration.ofSeconds(2);

    private static final int MESSAGE_LIMIT = 8 << 10;
    private static final int CALL_LIMIT = 1 << 10;

    private final MasterLink link;
    private final String masterAddress;
    private final Message.Start job;
    private final MasterServer hosted;
    private final long silenceNanos;
    private final Outbox outbox;
    private final Exchange exchange;
    private final Notices notices = new Notices();
    private final Thread writer;
    private final Thread reader;
    private final AtomicReference<AbortReason> over = new AtomicReference<>();
    private final AtomicReference<AbortReason> proposed = new AtomicReference<>();
    private final AtomicBoolean mismatchReported = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over the connection of a rank that was just given its place, and the master if this process hosts it. */
    HeraBootstrap(MasterLink link, String masterAddress, Message.Start job, int heartbeatMillis, MasterServer hosted) {
        this.link = link;
        this.masterAddress = masterAddress;
        this.job = job;
        this.hosted = hosted;
        this.silenceNanos = Liveness.limitNanos(heartbeatMillis);
        this.outbox = new Outbox(link, heartbeatMillis);
        this.exchange = new Exchange(job.ranks().size());
        this.writer = thread("hera-writer-", outbox);
        this.reader = thread("hera-reader-", this::read);
    }

    HeraBootstrap start() {
        writer.start();
        reader.start();
        return this;
    }

    @Override
    public int rank() {
        return job.rank();
    }

    @Override
    public int size() {
        return job.ranks().size();
    }

    @Override
    public List<byte[]> allGather(byte[] mine, Deadline deadline) {
        if (mine.length > Frame.CONTRIBUTION_LIMIT) {
            throw new InvalidCallException(
                    "mine: " + mine.length + " bytes, allowed are 0 to " + Frame.CONTRIBUTION_LIMIT);
        }
        int millis = millis(deadline);
        try {
            return exchange.gather(
                    round -> outbox.send(new Message.Gather(round, millis, mine)),
                    new Deadline(deadline.nanoTime() + GRACE_NANOS));
        } catch (TimeoutException e) {
            throw giveUp(
                    Kind.TIMEOUT,
                    "waited " + millis + " ms for an exchange with all ranks, and " + master()
                            + " did not answer: see whether it still runs");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw giveUp(Kind.CLOSED, "was interrupted during an exchange with all ranks");
        }
    }

    /** Aborts, for this side at once. */
    private CommunicatorException giveUp(Kind kind, String what) {
        AbortReason reason = new AbortReason(kind, rank(), -1, "rank " + rank() + " " + what);
        abort(reason);
        end(reason);
        return CommunicatorException.aborted(over.get(), rank(), -1);
    }

    @Override
    public void listen(Listener listener) {
        notices.listen(listener);
    }

    @Override
    public void abort(AbortReason reason) {
        AbortReason mine = new AbortReason(
                reason.kind(), reason.rank(), reason.sequence(), Identity.cut(reason.message(), MESSAGE_LIMIT));
        if (over.get() == null && proposed.compareAndSet(null, mine)) {
            outbox.send(new Message.Abort(mine));
        }
    }

    @Override
    public void reportMismatch(long sequence) {
        if (mismatchReported.compareAndSet(false, true)) {
            outbox.send(new Message.Mismatch(sequence));
        }
    }

    // ---- the receiving thread ----

    private void read() {
        String how;
        try {
            for (int waits = 0; ; ) {
                try {
                    received(link.receive(Deadline.afterNanos(silenceNanos / SILENT_WAITS)));
                    waits = 0;
                } catch (SocketTimeoutException e) {
                    if (++waits == SILENT_WAITS) {
                        throw e;
                    }
                }
            }
        } catch (SocketTimeoutException e) {
            how = "was silent for " + TimeUnit.NANOSECONDS.toMillis(silenceNanos) + " ms";
        } catch (IOException e) {
            // Which of the two a process that was killed leaves behind is chance.
            boolean ended = e instanceof EOFException || "Connection reset".equals(e.getMessage());
            how = ended ? "closed its connection" : "lost its connection (" + e.getMessage() + ")";
        } catch (ProtocolException e) {
            how = e.getMessage();
        }
        link.close();
        if (!closed.get()) {
            AbortReason mine = proposed.get();
            // The same words on all ranks.
            String text = master() + " is lost: it " + how + "; see its output for the cause, then start the job anew";
            end(mine != null ? mine : new AbortReason(Kind.PEER_LOST, masterRank(), -1, text));
        }
    }

    private void received(Message message) throws ProtocolException {
        switch (message) {
            case Message.Heartbeat _ -> {
                // That it came is all that it says.
            }
            case Message.Gathered part -> exchange.arrived(part.round(), part.firstRank(), part.parts());
            case Message.Abort abort -> end(abort.reason());
            case Message.Describe describe -> {
                String call = Identity.cut(notices.describe(describe.sequence()), CALL_LIMIT);
                outbox.send(new Message.Described(describe.sequence(), call));
            }
            case Message.Left left -> notices.left(left.rank());
            default ->
                throw new ProtocolException("sent a " + message.getClass().getSimpleName() + " to a running rank");
        }
    }

    /** The job is over for this rank; the first reason counts. */
    private void end(AbortReason reason) {
        if (over.compareAndSet(null, reason)) {
            exchange.end(() -> CommunicatorException.aborted(reason, rank(), -1));
            if (!closed.get()) {
                notices.aborted(reason);
            }
        }
    }

    // ---- close ----

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        exchange.end(() -> new InvalidCallException(ResultCode.INVALID_USAGE, "this rank has left the job"));
        outbox.send(new Message.Leave());
        outbox.end();
        // The master ends the stream once it has read that this rank leaves.
        join(reader, LEAVE_LIMIT);
        link.close();
        join(writer, LEAVE_LIMIT);
        join(reader, LEAVE_LIMIT);
        if (hosted != null && !hostsOnlyThisProcess()) {
            endHosted();
        }
    }

    /** Then nobody can outlive the master, which ends with the last rank. */
    private boolean hostsOnlyThisProcess() {
        return job.ranks().stream().allMatch(job.master()::sameProcess);
    }

    private void endHosted() {
        try {
            if (hosted.awaitEnd(HOST_LIMIT)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        hosted.close("rank " + rank() + " (" + job.ranks().get(rank())
                + "), which hosts the master, closed its communicator while others still use theirs");
    }

    /** Waits through interrupts, which the caller finds afterwards. Nobody waits for himself. */
    private static void join(Thread thread, Duration limit) {
        if (thread == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        Deadline deadline = Deadline.after(limit);
        while (thread.isAlive() && !deadline.expired()) {
            try {
                thread.join(Duration.ofNanos(Math.max(1, deadline.remainingNanos())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- words ----

    private String master() {
        int host = masterRank();
        return "the master at " + masterAddress + " (" + (host < 0 ? "" : "inside rank " + host + ", ") + job.master()
                + ")";
    }

    /** The rank that hosts the master, or -1. */
    private int masterRank() {
        for (int rank = 0; rank < size(); rank++) {
            if (job.ranks().get(rank).sameProcess(job.master())) {
                return rank;
            }
        }
        return -1;
    }

    static int millis(Deadline deadline) {
        return Math.clamp(deadline.remainingMillis(), 1, Integer.MAX_VALUE);
    }

    private Thread thread(String role, Runnable work) {
        return Thread.ofPlatform().daemon().name(role + job.rank()).unstarted(work);
    }
}
