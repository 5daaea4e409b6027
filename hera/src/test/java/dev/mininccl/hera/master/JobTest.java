package dev.mininccl.hera.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.AbortReason.Kind;
import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.FrameDecoder;
import dev.mininccl.hera.wire.Identity;
import dev.mininccl.hera.wire.Message;
import dev.mininccl.hera.wire.MessageCodec;
import dev.mininccl.hera.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The job without sockets, threads or waiting: time is a number. */
@Timeout(20)
class JobTest {

    private static final Identity SELF = new Identity("m", 1, 1, "", "");
    private static final Duration LINGER = Duration.ofSeconds(5);

    private long now = 1000;

    /** A peer that remembers what it was sent. */
    private static final class Peer implements Outlet {

        final List<Message> got = new ArrayList<>();
        boolean finished;
        Member member;

        @Override
        public void send(ByteBuffer frame) {
            try {
                Frame whole = new FrameDecoder(Frame.MASTER_LIMIT).next(frame.duplicate());
                got.add(MessageCodec.decode(whole));
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void finish() {
            finished = true;
        }

        <M extends Message> List<M> got(Class<M> type) {
            return got.stream().filter(type::isInstance).map(type::cast).toList();
        }

        String refusal() {
            return got(Message.Refused.class).getFirst().why();
        }

        AbortReason abort() {
            assertThat(got(Message.Abort.class)).hasSize(1);
            return got(Message.Abort.class).getFirst().reason();
        }

        int rank() {
            return got(Message.Start.class).getFirst().rank();
        }
    }

    private static Message.Register asks(int rank, int size, String host, String configuration) {
        return new Message.Register(
                rank, size, "1.0", configuration, new Identity(host, 100 + rank, 0, "", ""), 1000, 30_000);
    }

    private Peer register(Job job, Message.Register asked) {
        Peer peer = new Peer();
        peer.member = job.register(asked, peer, now);
        assertThat(peer.member == null).isEqualTo(peer.finished);
        return peer;
    }

    private Job job(int world) {
        return new Job(world, SELF, LINGER, now);
    }

    private List<Peer> started(Job job) {
        List<Peer> peers = new ArrayList<>();
        for (int rank = 0; rank < job.world(); rank++) {
            peers.add(register(job, asks(rank, job.world(), "h" + rank, "")));
        }
        return peers;
    }

    private void pass(long millis) {
        now += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    // ---- registration ----

    @Test
    void fixedRanksKeepTheirsAndOthersFillTheGapsHostByHost() {
        Job job = job(5);
        Peer first = register(job, asks(-1, 5, "a", ""));
        Peer second = register(job, asks(-1, 5, "b", ""));
        Peer fixed = register(job, asks(1, 5, "c", ""));
        Peer third = register(job, asks(-1, 5, "a", ""));
        assertThat(first.got).isEmpty();
        Peer zero = register(job, asks(0, 5, "d", ""));
        assertThat(List.of(zero.rank(), fixed.rank(), first.rank(), third.rank(), second.rank()))
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(first.got(Message.Start.class).getFirst().ranks().stream().map(Identity::host))
                .containsExactly("d", "c", "a", "a", "b");
        assertThat(first.got(Message.Start.class).getFirst().master()).isEqualTo(SELF);
    }

    @Test
    void refusalsNameBothValues() {
        Job job = job(3);
        register(job, asks(0, 3, "a", "SLOTS=4\nSLICE=8\nOLD=1"));
        assertThat(register(job, asks(0, 3, "b", "")).refusal())
                .contains("rank 0 (host b, pid 100)")
                .contains("rank 0 (host a, pid 100)");
        assertThat(register(job, asks(1, 2, "b", "")).refusal())
                .contains("2 ranks")
                .contains("one of 3");
        assertThat(register(job, asks(3, 3, "b", "")).refusal())
                .contains("rank 3 is out of range")
                .contains("0 to 2");
        assertThat(register(job, asks(-2, 3, "b", "")).refusal()).contains("rank -2 is out of range");
        assertThat(register(job, asks(2, 3, "b", "SLICE=16\nSLOTS=4\nNEW=x")).refusal())
                .contains("SLICE is 16 on rank 2 (host b, pid 102) but 8 on rank 0 (host a, pid 100)")
                .contains("NEW is x on rank 2 (host b, pid 102) but not known on rank 0")
                .contains("OLD is not known on rank 2 (host b, pid 102) but 1 on rank 0")
                .doesNotContain("SLOTS");
        Message.Register other = new Message.Register(-1, 3, "1.1", "", new Identity("b", 7, 0, "", ""), 1000, 30_000);
        assertThat(register(job, other).refusal())
                .contains("version is 1.1 on a rank yet without number (host b, pid 7) but 1.0 on rank 0");
    }

    @Test
    void oneMoreIsRefused() {
        Job job = job(2);
        started(job);
        assertThat(register(job, asks(1, 2, "x", "")).refusal())
                .contains("all 2 ranks")
                .contains("host x");
    }

    @Test
    void whoWaitsInVainIsToldWhoIsMissingAndWhoWasRefused() {
        Job job = job(4);
        Peer waiting = register(job, asks(1, 4, "a", ""));
        register(job, asks(1, 4, "b", ""));
        register(job, asks(3, 4, "c", ""));
        assertThat(job.dueInNanos(now)).isEqualTo(TimeUnit.SECONDS.toNanos(30));
        pass(30_000);
        job.tick(now);
        assertThat(waiting.refusal())
                .contains("2 of 4 ranks have registered, ranks 0, 2 are missing")
                .contains("last refused: rank 1 (host b");
        assertThat(waiting.finished).isTrue();
    }

    @Test
    void whoGoesBeforeTheStartMakesRoom() throws ProtocolException {
        Job job = job(2);
        Peer killed = register(job, asks(0, 2, "a", ""));
        job.lost(killed.member, "closed", now);
        Peer leaves = register(job, asks(0, 2, "b", ""));
        job.received(leaves.member, new Message.Leave(), now);
        register(job, asks(0, 2, "c", ""));
        assertThat(register(job, asks(1, 2, "d", "")).rank()).isEqualTo(1);
    }

    // ---- exchange ----

    @Test
    void allGetThePartsOfAll() throws ProtocolException {
        Job job = job(3);
        List<Peer> peers = started(job);
        for (int round = 0; round < 3; round++) {
            for (int rank = 2; rank >= 0; rank--) {
                byte[] part = {(byte) round, (byte) rank};
                job.received(peers.get(rank).member, new Message.Gather(round, 100, part), now);
            }
        }
        for (Peer peer : peers) {
            List<Message.Gathered> results = peer.got(Message.Gathered.class);
            assertThat(results).hasSize(3);
            for (int round = 0; round < 3; round++) {
                byte r = (byte) round;
                List<byte[]> parts = List.of(new byte[] {r, 0}, new byte[] {r, 1}, new byte[] {r, 2});
                assertThat(results.get(round))
                        .usingRecursiveComparison()
                        .isEqualTo(new Message.Gathered(round, 0, parts));
            }
        }
    }

    @Test
    void largePartsTravelApart() throws ProtocolException {
        Job job = job(4);
        List<Peer> peers = started(job);
        for (int rank = 0; rank < 4; rank++) {
            byte[] part = new byte[rank == 1 ? Frame.CONTRIBUTION_LIMIT : 10];
            job.received(peers.get(rank).member, new Message.Gather(0, 100, part), now);
        }
        List<Message.Gathered> results = peers.get(3).got(Message.Gathered.class);
        assertThat(results.stream().map(Message.Gathered::firstRank)).containsExactly(0, 2);
        assertThat(results.stream().map(r -> r.parts().size())).containsExactly(2, 2);
    }

    @Test
    void theShortestDeadlineAbortsAndNamesTheMissing() throws ProtocolException {
        Job job = job(4);
        List<Peer> peers = started(job);
        job.received(peers.get(0).member, new Message.Gather(0, 1500, new byte[0]), now);
        job.received(peers.get(2).member, new Message.Gather(0, 100, new byte[0]), now);
        assertThat(job.dueInNanos(now)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        pass(99);
        job.tick(now);
        assertThat(job.reason()).isNull();
        pass(1);
        job.tick(now);
        AbortReason reason = peers.get(1).abort();
        assertThat(reason.kind()).isEqualTo(Kind.TIMEOUT);
        assertThat(reason.rank()).isEqualTo(1);
        assertThat(reason.message()).contains("ranks 1, 3 did not come within 100 ms of rank 2 (host h2");
    }

    @Test
    void aPartOutOfTurnBreaksTheProtocol() {
        Job job = job(2);
        List<Peer> peers = started(job);
        assertThatThrownBy(() -> job.received(peers.get(0).member, new Message.Gather(1, 100, new byte[0]), now))
                .isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> job.received(peers.get(0).member, new Message.Left(1), now))
                .isInstanceOf(ProtocolException.class);
    }

    // ---- leaving ----

    @Test
    void theJobEndsWhenAllHaveLeft() throws ProtocolException {
        Job job = job(2);
        List<Peer> peers = started(job);
        job.received(peers.get(0).member, new Message.Leave(), now);
        assertThat(peers.get(0).finished).isTrue();
        assertThat(peers.get(1).got(Message.Left.class)).containsExactly(new Message.Left(0));
        assertThat(job.ended(now)).isFalse();
        job.received(peers.get(1).member, new Message.Leave(), now);
        assertThat(job.ended(now)).isTrue();
        assertThat(job.reason()).isNull();
    }

    @Test
    void anExchangeWithoutAllIsRefusedWhicheverComesFirst() throws ProtocolException {
        for (boolean leavesFirst : new boolean[] {true, false}) {
            Job job = job(3);
            List<Peer> peers = started(job);
            Message gather = new Message.Gather(0, 100, new byte[0]);
            job.received(peers.get(leavesFirst ? 1 : 0).member, leavesFirst ? new Message.Leave() : gather, now);
            job.received(peers.get(leavesFirst ? 0 : 1).member, leavesFirst ? gather : new Message.Leave(), now);
            AbortReason reason = peers.get(2).abort();
            assertThat(reason.kind()).isEqualTo(Kind.CLOSED);
            assertThat(reason.rank()).isEqualTo(1);
            assertThat(reason.message()).contains("rank 1 (host h1").contains("rank 0 wait");
        }
    }

    // ---- failures ----

    @Test
    void aLostRankAbortsTheOthersAtOnceAndTheFirstReasonWins() throws ProtocolException {
        Job job = job(3);
        List<Peer> peers = started(job);
        job.lost(peers.get(2).member, "closed its connection", now);
        job.lost(peers.get(1).member, "too", now);
        AbortReason late = new AbortReason(Kind.TRANSPORT, 0, 3, "late");
        job.received(peers.get(0).member, new Message.Abort(late), now);
        AbortReason reason = peers.get(0).abort();
        assertThat(reason.kind()).isEqualTo(Kind.PEER_LOST);
        assertThat(reason.rank()).isEqualTo(2);
        assertThat(reason.message()).contains("rank 2 (host h2, pid 102) is lost: it closed its connection");
        assertThat(peers.get(2).got(Message.Abort.class)).isEmpty();
        assertThat(register(job, asks(1, 3, "x", "")).refusal())
                .contains("aborted")
                .contains("rank 2 (host h2");
    }

    @Test
    void fiveMissedHeartbeatsAndTwoSecondsAreDeath() throws ProtocolException {
        Job job = job(2);
        List<Peer> peers = started(job);
        pass(3000);
        job.received(peers.get(0).member, new Message.Heartbeat(), now);
        assertThat(peers.get(0).got(Message.Heartbeat.class)).hasSize(1);
        pass(2000);
        job.tick(now);
        assertThat(job.reason()).isNull();
        pass(1);
        job.tick(now);
        assertThat(peers.get(0).abort().message()).contains("rank 1 (host h1").contains("no heartbeat for 5001 ms");
        assertThat(peers.get(1).finished).isTrue();
    }

    @Test
    void afterAnAbortTheStatusLingersUntilAllAreGone() throws ProtocolException {
        Job job = job(2);
        List<Peer> peers = started(job);
        job.abort(new AbortReason(Kind.TRANSPORT, 0, 1, "cable"), now);
        pass(60_000);
        assertThat(job.ended(now)).isFalse();
        job.received(peers.get(0).member, new Message.Leave(), now);
        job.lost(peers.get(1).member, "closed", now);
        assertThat(job.ended(now)).isTrue();
        assertThat(StatusReport.of(job, now).text())
                .contains("aborted: transport: cable")
                .contains("lost")
                .contains("left");
    }

    @Test
    void shutdownTellsThoseWhoWaitAndThoseWhoRun() {
        Job waiting = job(2);
        Peer early = register(waiting, asks(0, 2, "a", ""));
        waiting.shutdown("closed by hand", now);
        assertThat(early.refusal()).isEqualTo("closed by hand");
        Job running = job(2);
        List<Peer> peers = started(running);
        running.shutdown("closed by hand", now);
        assertThat(peers.get(1).abort().message()).isEqualTo("closed by hand");
        assertThat(peers.get(1).finished).isTrue();
    }

    // ---- mismatch ----

    private static final String HINT = ". Make the same calls in the same order on all ranks, then join anew";

    private void answer(Job job, Peer peer, String call) throws ProtocolException {
        assertThat(peer.got(Message.Describe.class)).contains(new Message.Describe(417));
        job.received(peer.member, new Message.Described(417, call), now);
    }

    @Test
    void aMismatchNamesWhoDiffersAndHow() throws ProtocolException {
        Job job = job(4);
        List<Peer> peers = started(job);
        job.received(peers.get(3).member, new Message.Mismatch(417), now);
        job.received(peers.get(2).member, new Message.Mismatch(417), now);
        for (int rank : new int[] {2, 0, 3, 1}) {
            assertThat(job.reason()).isNull();
            answer(
                    job,
                    peers.get(rank),
                    rank == 2 ? "all_reduce of 1048576 float, sum" : "all_reduce of 524288 half, sum");
        }
        AbortReason reason = peers.get(1).abort();
        String text = "ranks disagree on operation #417: ranks 0, 1, 3 called all_reduce of 524288 half, sum;"
                + " rank 2 called all_reduce of 1048576 float, sum" + HINT;
        assertThat(reason).isEqualTo(new AbortReason(Kind.MISMATCH, 2, 417, text));
    }

    @Test
    void whoIsOnTheWayToTheCallIsAskedAgain() throws ProtocolException {
        Job job = job(2);
        List<Peer> peers = started(job);
        job.received(peers.get(0).member, new Message.Mismatch(417), now);
        answer(job, peers.get(0), "a");
        answer(job, peers.get(1), "");
        assertThat(job.dueInNanos(now)).isEqualTo(Disagreement.ASK_AGAIN_NANOS);
        pass(10);
        job.tick(now);
        assertThat(peers.get(0).got(Message.Describe.class)).hasSize(1);
        assertThat(peers.get(1).got(Message.Describe.class)).hasSize(2);
        answer(job, peers.get(1), "b");
        AbortReason reason = peers.get(1).abort();
        assertThat(reason.message()).contains("rank 0 called a; rank 1 called b");
        assertThat(reason.rank()).isZero();
    }

    @Test
    void aMismatchDoesNotWaitForEverAndIsNotOvertaken() throws ProtocolException {
        Job job = job(4);
        List<Peer> peers = started(job);
        job.received(peers.get(1).member, new Message.Mismatch(417), now);
        answer(job, peers.get(0), "broadcast of 8 float from 0");
        answer(job, peers.get(1), "");
        job.received(peers.get(0).member, new Message.Abort(new AbortReason(Kind.TIMEOUT, 0, 417, "late")), now);
        job.lost(peers.get(3).member, "closed", now);
        pass(249);
        job.tick(now);
        assertThat(job.reason()).isNull();
        pass(1);
        job.tick(now);
        AbortReason reason = peers.get(2).abort();
        assertThat(reason.message())
                .isEqualTo("ranks disagree on operation #417: rank 0 called broadcast of 8 float from 0;"
                        + " ranks 1, 2, 3 did not call it" + HINT);
        assertThat(reason.rank()).isZero();
    }

    @Test
    void aMismatchEndsWhenAllWhoLiveHaveAnswered() throws ProtocolException {
        Job job = job(3);
        List<Peer> peers = started(job);
        job.received(peers.get(0).member, new Message.Mismatch(417), now);
        answer(job, peers.get(0), "a");
        answer(job, peers.get(1), "b");
        job.received(peers.get(2).member, new Message.Leave(), now);
        AbortReason reason = peers.get(1).abort();
        assertThat(reason.message()).contains("rank 0 called a; rank 1 called b; rank 2 did not call it");
        assertThat(reason.rank()).isZero();
    }

    @Test
    void equalCallsWithUnequalFingerprintsAreSaidToBeSo() throws ProtocolException {
        Job job = job(2);
        List<Peer> peers = started(job);
        job.received(peers.get(0).member, new Message.Mismatch(417), now);
        answer(job, peers.get(0), "barrier");
        answer(job, peers.get(1), "barrier");
        assertThat(peers.get(0).abort().message()).contains("differ although ranks 0, 1 called barrier");
    }

    // ---- status ----

    @Test
    void theStatusSaysWhoIsWaitedFor() throws ProtocolException {
        Job job = job(3);
        register(job, asks(1, 3, "a", ""));
        assertThat(StatusReport.of(job, now).text()).contains("registering").contains("ranks 0, 2 are missing");
        register(job, asks(0, 3, "b\"\\", ""));
        Peer last = register(job, asks(2, 3, "c", ""));
        job.received(last.member, new Message.Gather(0, 9, new byte[0]), now);
        pass(1234);
        Message.Status status = StatusReport.of(job, now);
        assertThat(status.text())
                .contains("exchange #0 of the control plane waits for ranks 0, 1")
                .contains("1.2 s");
        assertThat(status.json())
                .startsWith("{\"world\":3,\"phase\":\"running\",\"phaseMs\":1234,")
                .contains("{\"rank\":0,\"state\":\"running\",\"host\":\"b\\\"\\\\\",\"pid\":100,");
    }
}
