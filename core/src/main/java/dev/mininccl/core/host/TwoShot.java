package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.schedule.TwoShotSchedule;
import dev.mininccl.core.spi.ReceiveLane;

/**
 * Runs {@link TwoShotSchedule}. Where nothing is reduced, what a rank has to give is its input, and the result of its part a copy
 * of it.
 */
final class TwoShot extends AbstractAlgorithm {

    private static final long FUSE_FROM_BYTES = 16 << 20;

    private final TwoShotSchedule schedule;
    /** Shares of this rank's part that come from peers. */
    private int shares;
    /** Messages handed to each peer so far. */
    private final long[] sent;
    /** Messages done with from each peer so far. */
    private final long[] received;
    /** Whether the next message of each peer was expected already. */
    private final boolean[] expected;
    /** Where each rank's share of this rank's part lies, while held; 0 otherwise. */
    private final long[] held;
    /** Shares held, this rank's own not counted. */
    private int holding;
    /** Loops whose part of this rank is reduced. */
    private long reduced;
    /** Sends and receives still to come, over all peers. */
    private long left;

    TwoShot(Neighbours neighbours) {
        super(neighbours);
        schedule = new TwoShotSchedule(ranks);
        sent = new long[ranks];
        received = new long[ranks];
        expected = new boolean[ranks];
        held = new long[ranks];
    }

    @Override
    public int run(Step step, Waiter waiter) {
        begin(step);
        while (left > 0 || reduced < schedule.loops()) {
            boolean moved = send(step);
            int came = receive(step);
            if (came > DONE) {
                return came;
            }
            if (reducible(step)) {
                reduce(step);
            } else if (moved || came < DONE) {
                waiter.moved();
            } else if (waiter.idle()) {
                return stopped(slowest());
            }
        }
        return drain(waiter);
    }

    private void begin(Step step) {
        if (step.allReduces()) {
            schedule.plan(step.count, step.sliceElements);
        } else {
            schedule.planHalf(step.collective.gathers(), step.count, step.stride, step.sliceElements);
        }
        shares = step.collective.reduces() ? ranks - 1 : 0;
        for (int peer = 0; peer < ranks; peer++) {
            sent[peer] = 0;
            received[peer] = 0;
            expected[peer] = false;
            held[peer] = 0;
        }
        holding = 0;
        reduced = 0;
        left = 2L * (ranks - 1) * schedule.messages();
    }

    private boolean send(Step step) {
        boolean moved = false;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                moved |= send(step, peer);
            }
        }
        return moved;
    }

    private boolean send(Step step, int peer) {
        long message = sent[peer];
        if (message < schedule.messages()) {
            long loop = schedule.loop(message);
            boolean gathers = schedule.gathers(message);
            boolean result = gathers && shares > 0;
            int part = gathers ? rank : peer;
            long start = schedule.start(loop, part);
            int length = schedule.length(loop, part);
            if (result ? loop < reduced : step.ready(start + length)) {
                long address = (result ? step.out : step.in) + start * step.elementBytes;
                if (neighbours.offer(step, peer, address, length * step.elementBytes)) {
                    sent[peer] = message + 1;
                    left--;
                    return true;
                }
            }
        }
        return neighbours.send[peer].progress();
    }

    /** DONE if nothing came, less if something did, more if a lane failed. */
    private int receive(Step step) {
        int came = DONE;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && held[peer] == 0 && received[peer] < schedule.messages()) {
                long polled = poll(step, peer);
                if (isAddress(polled)) {
                    take(step, peer, polled);
                    came = -1;
                } else if (polled != ReceiveLane.NOTHING) {
                    return failed(peer, polled);
                }
            }
        }
        return came;
    }

    private long poll(Step step, int peer) {
        ReceiveLane lane = neighbours.receive[peer];
        if (!expected[peer]) {
            long message = received[peer];
            long loop = schedule.loop(message);
            boolean gathers = schedule.gathers(message);
            int part = gathers ? peer : rank;
            long destination = gathers ? step.out + schedule.start(loop, part) * step.elementBytes : 0;
            lane.expect(destination, schedule.length(loop, part) * step.elementBytes, step.fingerprint);
            expected[peer] = true;
        }
        return lane.poll();
    }

    private void take(Step step, int peer, long address) {
        if (schedule.gathers(received[peer])) {
            done(peer);
            if (step.staged()) {
                step.completed(schedule.end(completeLoops()));
            }
        } else {
            held[peer] = address;
            holding++;
        }
    }

    private void done(int peer) {
        neighbours.receive[peer].release();
        held[peer] = 0;
        received[peer]++;
        expected[peer] = false;
        left--;
    }

    /** The loops, from the first, of which all parts are in the output. */
    private long completeLoops() {
        long complete = reduced;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                complete = Math.min(complete, schedule.gathered(received[peer]));
            }
        }
        return complete;
    }

    /** Whether all shares of this rank's part of the next loop are here. */
    private boolean reducible(Step step) {
        return holding == shares
                && reduced < schedule.loops()
                && step.ready(schedule.start(reduced, rank) + schedule.length(reduced, rank));
    }

    private void reduce(Step step) {
        long offset = schedule.start(reduced, rank) * step.elementBytes;
        int length = schedule.length(reduced, rank);
        if (shares == 0) {
            copyOwn(step, offset, length);
            return;
        }
        held[rank] = step.in + offset;
        if (ranks != 2 || !reduceIntoSlot(step, step.out + offset, length)) {
            Reductions.reduce(step.reducer, held, ranks, step.out + offset, length);
        }
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank) {
                done(peer);
            }
        }
        holding = 0;
        reduced++;
    }

    private void copyOwn(Step step, long offset, int length) {
        if (!step.inPlace()) {
            NativeMemory.copy(step.in + offset, step.out + offset, (long) length * step.elementBytes);
        }
        reduced++;
    }

    /**
     * Two ranks: stores the result to the output and to the slot that carries it to the peer, in one pass. This spares messages
     * that no cache holds a pass over the output; in cache two passes are as quick.
     */
    private boolean reduceIntoSlot(Step step, long out, int length) {
        int peer = 1 - rank;
        long message = sent[peer];
        boolean fromMemory = step.count * step.elementBytes >= FUSE_FROM_BYTES;
        if (!fromMemory || step.byReference || !schedule.gathers(message) || schedule.loop(message) != reduced) {
            return false;
        }
        int bytes = length * step.elementBytes;
        long slot = neighbours.send[peer].claim(bytes);
        if (slot == 0) {
            return false;
        }
        step.reducer.reduceLastTwice(held[0], held[1], out, slot, length);
        neighbours.send[peer].commit(bytes, step.fingerprint);
        sent[peer] = message + 1;
        left--;
        return true;
    }

    /** The peer that this rank waits for: the one from which least has come, or else to which least has gone. */
    private int slowest() {
        int slowest = -1;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && held[peer] == 0 && (slowest < 0 || received[peer] < received[slowest])) {
                slowest = peer;
            }
        }
        return slowest;
    }
}
