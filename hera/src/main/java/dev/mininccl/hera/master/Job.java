package dev.mininccl.hera.master;

import dev.mininccl.core.ResultCode;
import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import dev.mininccl.hera.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One job as the master knows it: a state machine without sockets, threads or clocks. Every time is a
 * {@link System#nanoTime()} value given by the caller.
 */
final class Job {

    /** How far the job is. */
    enum Phase {
        REGISTERING,
        RUNNING,
        ABORTED,
        ENDED
    }

    private final int world;
    private final Identity self;
    private final long lingerNanos;
    private final Roster roster;

    private Phase phase = Phase.REGISTERING;
    private Member[] ranks = {};
    private long rounds;
    private Gathering gathering;
    private Disagreement disagreement;
    private String lastRefusal = "";
    private long changedNanos;
    private volatile AbortReason reason;

    /** A job of {@code world} ranks; after an abort the status can be asked for {@code linger}. */
    Job(int world, Identity self, Duration linger, long now) {
        this.world = world;
        this.self = self;
        this.lingerNanos = linger.toNanos();
        this.roster = new Roster(world);
        this.changedNanos = now;
    }

    // ---- registration ----

    /** A process asks for a place. Returns {@code null} if it was refused; its connection then ends. */
    Member register(Message.Register asked, Outlet outlet, long now) {
        String objection = switch (phase) {
            case REGISTERING -> roster.objection(asked, now);
            case RUNNING, ENDED ->
                "all " + world + " ranks of this job have registered, " + Member.name(asked.rank(), asked.identity())
                        + " is one too many; a second job needs a master of its own, on another port";
            case ABORTED -> "the job was aborted: " + reason.message();
        };
        if (objection != null) {
            lastRefusal = objection;
            refuse(outlet, ResultCode.INVALID_USAGE, objection);
            return null;
        }
        Member member = new Member(asked, outlet, now);
        roster.add(member);
        if (roster.complete()) {
            start(now);
        }
        return member;
    }

    private void start(long now) {
        ranks = roster.assign();
        enter(Phase.RUNNING, now);
        List<Identity> identities = Arrays.stream(ranks).map(Member::identity).toList();
        for (Member member : ranks) {
            member.state = Member.State.RUNNING;
            member.heardNanos = now;
            send(member, new Message.Start(member.rank, identities, self));
        }
    }

    // ---- what ranks say ----

    void received(Member member, Message message, long now) throws ProtocolException {
        member.heardNanos = now;
        if (member.state == Member.State.REGISTERED && !(message instanceof Message.Leave)) {
            throw new ProtocolException("sent a " + name(message) + " before the job started");
        }
        switch (message) {
            case Message.Heartbeat beat -> send(member, beat);
            case Message.Gather gather -> gather(member, gather, now);
            case Message.Abort abort -> abort(byMember(member, abort.reason()), now);
            case Message.Mismatch mismatch -> mismatch(member, mismatch.sequence(), now);
            case Message.Described described -> described(member, described, now);
            case Message.Leave _ -> leave(member, now);
            default -> throw new ProtocolException("sent a " + name(message) + ", which no rank may send");
        }
    }

    private void gather(Member member, Message.Gather gather, long now) throws ProtocolException {
        if (phase != Phase.RUNNING) {
            return;
        }
        if (gathering == null) {
            gathering = new Gathering(rounds, world);
        }
        if (gather.round() != rounds || gathering.has(member.rank)) {
            throw new ProtocolException("sent its part of exchange #" + gather.round() + ", due is #" + rounds);
        }
        gathering.add(member.rank, gather.bytes(), Math.max(1, gather.timeoutMillis()), now);
        if (gathering.complete()) {
            gathering.results().forEach(this::broadcast);
            gathering = null;
            rounds++;
        } else {
            abortIfSomeoneLeft(now);
        }
    }

    /** An exchange needs all ranks. */
    private void abortIfSomeoneLeft(long now) {
        for (Member member : ranks) {
            if (member.state == Member.State.LEFT && gathering != null) {
                String text = member + " closed its communicator while others still use theirs: "
                        + Ranks.text(Ranks.where(world, gathering::has)) + " wait in exchange #" + gathering.round
                        + " of the control plane";
                abort(new AbortReason(Kind.CLOSED, member.rank, -1, text), now);
            }
        }
    }

    private void mismatch(Member member, long sequence, long now) {
        if (phase == Phase.RUNNING && disagreement == null) {
            disagreement = new Disagreement(sequence, member.rank, world, now);
            Arrays.stream(ranks).filter(m -> !m.running()).forEach(m -> disagreement.gone(m.rank));
            broadcast(new Message.Describe(sequence));
        }
    }

    private void described(Member member, Message.Described described, long now) {
        if (disagreement != null && disagreement.sequence == described.sequence()) {
            disagreement.called(member.rank, described.call());
            settle(now, disagreement.complete());
        }
    }

    private void cannotDescribe(Member member, long now) {
        if (disagreement != null) {
            disagreement.gone(member.rank);
            settle(now, disagreement.complete());
        }
    }

    private void settle(long now, boolean due) {
        if (disagreement != null && due) {
            AbortReason found = disagreement.reason();
            disagreement = null;
            abort(found, now);
        }
    }

    private void leave(Member member, long now) {
        member.outlet.finish();
        if (member.state == Member.State.REGISTERED) {
            roster.remove(member);
            return;
        }
        member.state = Member.State.LEFT;
        broadcast(new Message.Left(member.rank));
        cannotDescribe(member, now);
        if (phase == Phase.RUNNING) {
            abortIfSomeoneLeft(now);
        }
        if (phase == Phase.RUNNING && nobodyRuns()) {
            enter(Phase.ENDED, now);
        }
    }

    /** A rank's own words, unless it names ranks that do not exist. */
    private AbortReason byMember(Member member, AbortReason said) {
        boolean known = said.rank() >= -1 && said.rank() < world;
        return new AbortReason(said.kind(), known ? said.rank() : member.rank, said.sequence(), said.message());
    }

    // ---- failures ----

    /** A member's connection is gone, or is about to be ended for what it did. {@code how} is a predicate. */
    void lost(Member member, String how, long now) {
        member.outlet.finish();
        if (member.state == Member.State.REGISTERED) {
            roster.remove(member);
        } else if (member.running()) {
            member.state = Member.State.LOST;
            cannotDescribe(member, now);
            String text = member + " is lost: it " + how + "; see its output for the cause, then start the job anew";
            abort(new AbortReason(Kind.PEER_LOST, member.rank, -1, text), now);
        }
    }

    /** Aborts the job; only the first reason counts, and a mismatch under inquiry came first. */
    void abort(AbortReason why, long now) {
        if (phase == Phase.RUNNING && disagreement == null) {
            reason = why;
            gathering = null;
            enter(Phase.ABORTED, now);
            broadcast(new Message.Abort(why));
        }
    }

    /** The master's owner ends it, whatever the state. */
    void shutdown(String why, long now) {
        settle(now, true);
        abort(new AbortReason(Kind.CLOSED, -1, -1, why), now);
        if (phase == Phase.REGISTERING) {
            reason = new AbortReason(Kind.CLOSED, -1, -1, why);
            enter(Phase.ABORTED, now);
            roster.members().forEach(member -> refuse(member.outlet, ResultCode.REMOTE_ERROR, why));
            roster.members().clear();
        }
        Arrays.stream(ranks).filter(Member::running).forEach(member -> member.outlet.finish());
    }

    // ---- time ----

    /** The master itself stood still, as all do where a container or machine is paused: that is nobody's silence. */
    void stoodStill(long nanos, long now) {
        for (Member member : ranks) {
            member.heardNanos = Math.min(now, member.heardNanos + nanos);
        }
    }

    /** Does what is due. */
    void tick(long now) {
        for (Member member : List.copyOf(roster.members())) {
            if (phase == Phase.REGISTERING && now - member.registrationDeadline() >= 0) {
                String why = unstarted(member);
                roster.remove(member);
                refuse(member.outlet, ResultCode.REMOTE_ERROR, why);
            }
        }
        for (Member member : ranks) {
            long silence = now - member.heardNanos;
            if (member.running() && silence > member.silenceLimitNanos()) {
                lost(member, "sent no heartbeat for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms", now);
            }
        }
        if (gathering != null && now - gathering.deadlineNanos() >= 0) {
            int first = gathering.missing().getFirst();
            abort(new AbortReason(Kind.TIMEOUT, first, -1, gathering.overdue(ranks)), now);
        }
        settle(now, disagreement != null && now - disagreement.deadlineNanos >= 0);
        if (disagreement != null && disagreement.asksAgain(now)) {
            Message.Describe question = new Message.Describe(disagreement.sequence);
            disagreement.missing().forEach(rank -> send(ranks[rank], question));
        }
    }

    private String unstarted(Member member) {
        return "the job did not start within " + member.asked.timeoutMillis() + " ms: " + roster.missing()
                + (lastRefusal.isEmpty() ? "" : "; last refused: " + lastRefusal);
    }

    /** Nanoseconds until {@link #tick} has something to do. */
    long dueInNanos(long now) {
        long due = Long.MAX_VALUE;
        if (phase == Phase.REGISTERING) {
            for (Member member : roster.members()) {
                due = Math.min(due, member.registrationDeadline() - now);
            }
        }
        for (Member member : ranks) {
            if (member.running()) {
                due = Math.min(due, member.heardNanos + member.silenceLimitNanos() - now + 1);
            }
        }
        if (gathering != null) {
            due = Math.min(due, gathering.deadlineNanos() - now);
        }
        if (disagreement != null) {
            due = Math.min(due, disagreement.dueInNanos(now));
        }
        if (phase == Phase.ABORTED && nobodyRuns()) {
            due = Math.min(due, Math.max(0, changedNanos + lingerNanos - now));
        }
        return due;
    }

    /** Tells whether nothing more will happen. */
    boolean ended(long now) {
        return phase == Phase.ENDED || (phase == Phase.ABORTED && nobodyRuns() && now - changedNanos >= lingerNanos);
    }

    // ---- for the status ----

    Phase phase() {
        return phase;
    }

    int world() {
        return world;
    }

    long changedNanos() {
        return changedNanos;
    }

    Identity self() {
        return self;
    }

    String lastRefusal() {
        return lastRefusal;
    }

    /** All that registered, by rank once the job has started. */
    List<Member> members() {
        return ranks.length > 0 ? List.of(ranks) : List.copyOf(roster.members());
    }

    /** What the job waits for at the moment, in a sentence; empty if nothing. */
    String waitingFor() {
        if (phase == Phase.REGISTERING) {
            return roster.missing();
        }
        return gathering == null
                ? ""
                : "exchange #" + gathering.round + " of the control plane waits for " + Ranks.text(gathering.missing());
    }

    /** Why the job was aborted, or {@code null}. May be asked by any thread. */
    AbortReason reason() {
        return reason;
    }

    // ---- helpers ----

    private void enter(Phase next, long now) {
        phase = next;
        changedNanos = now;
    }

    private boolean nobodyRuns() {
        return Arrays.stream(ranks).noneMatch(Member::running);
    }

    private void send(Member member, Message message) {
        member.outlet.send(MessageCodec.encode(message));
    }

    private void broadcast(Message message) {
        ByteBuffer frame = MessageCodec.encode(message);
        for (Member member : ranks) {
            if (member.running()) {
                member.outlet.send(frame);
            }
        }
    }

    private static void refuse(Outlet outlet, ResultCode code, String why) {
        outlet.send(MessageCodec.encode(new Message.Refused(code, why)));
        outlet.finish();
    }

    private static String name(Message message) {
        return message.getClass().getSimpleName();
    }
}
