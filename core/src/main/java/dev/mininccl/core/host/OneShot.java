package dev.mininccl.core.host;

import dev.mininccl.core.schedule.OneShotSchedule;

/** Runs {@link OneShotSchedule}. */
final class OneShot extends AbstractAlgorithm {

    private final OneShotSchedule schedule = new OneShotSchedule();
    private final Arrivals arrivals;
    /** Slices handed to each peer so far. */
    private final long[] sent;
    /** What each lane had released before this operation. */
    private final long[] releasedBefore;

    OneShot(Neighbours neighbours) {
        super(neighbours);
        arrivals = new Arrivals(neighbours);
        sent = new long[ranks];
        releasedBefore = new long[ranks];
    }

    @Override
    public int run(Step step, Waiter waiter) {
        schedule.plan(step.count, step.sliceElements);
        begin();
        long slices = schedule.slices();
        expect(step, 0);
        for (long reduced = 0; reduced < slices; ) {
            boolean moved = send(step, slices);
            long polled = arrivals.poll();
            if (polled < 0) {
                return failedAt(polled);
            }
            moved |= polled > 0;
            // In place, the output overwrites a slice of the input: it must have left before.
            if (arrivals.complete() && (step.in != step.out || left(reduced + 1))) {
                reduce(step, reduced++);
                if (step.staged() && reduced < slices) {
                    step.completed(schedule.start(reduced));
                }
                if (reduced < slices) {
                    expect(step, reduced);
                }
                moved = true;
            }
            if (moved) {
                waiter.moved();
            } else if (waiter.idle()) {
                return stopped(arrivals.awaited());
            }
        }
        // Lanes with room for all take all before the reductions are done; others still hold slices back.
        while (!left(slices)) {
            if (send(step, slices)) {
                waiter.moved();
            } else if (waiter.idle()) {
                return stopped(-1);
            }
        }
        return DONE;
    }

    private int failedAt(long polled) {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && arrivals.at[peer] == 0 && neighbours.receive[peer].poll() == polled) {
                return failed(peer, polled);
            }
        }
        return failed(arrivals.awaited(), polled);
    }

    private void begin() {
        for (int peer = 0; peer < ranks; peer++) {
            sent[peer] = 0;
            releasedBefore[peer] = peer == rank ? 0 : neighbours.send[peer].offered();
        }
    }

    private void expect(Step step, long slice) {
        arrivals.expect(step.in + schedule.start(slice) * step.elementBytes, bytes(step, slice), step.fingerprint);
    }

    private int bytes(Step step, long slice) {
        return schedule.length(slice) * step.elementBytes;
    }

    private boolean send(Step step, long slices) {
        boolean moved = false;
        for (int peer = 0; peer < ranks; peer++) {
            if (peer == rank) {
                continue;
            }
            long slice = sent[peer];
            if (slice < slices && step.ready(schedule.start(slice) + schedule.length(slice))) {
                long address = step.in + schedule.start(slice) * step.elementBytes;
                if (neighbours.offer(step, peer, address, bytes(step, slice))) {
                    sent[peer] = slice + 1;
                    moved = true;
                    continue;
                }
            }
            moved |= neighbours.send[peer].progress();
        }
        return moved;
    }

    /** Whether the first slices have left for all peers, so that their memory may change. */
    private boolean left(long slices) {
        for (int peer = 0; peer < ranks; peer++) {
            if (peer != rank && neighbours.send[peer].released() < releasedBefore[peer] + slices) {
                return false;
            }
        }
        return true;
    }

    private void reduce(Step step, long slice) {
        long out = step.out + schedule.start(slice) * step.elementBytes;
        Reductions.reduce(step.reducer, arrivals.at, ranks, out, schedule.length(slice));
        arrivals.release();
    }
}
