package dev.mininccl.core.host;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.schedule.RingSchedule;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.SendLane;

/** Runs {@link RingSchedule}: send, receive-reduce-send, receive-reduce-copy-send, receive-copy-send, receive. */
final class Ring extends AbstractAlgorithm {

    /** Slices a chunk: one goes on while the next comes. */
    private static final int SLICES = 2;

    private final RingSchedule schedule;
    private final RingScratch partials = new RingScratch();
    private final int next;
    private final int previous;
    private long sent;
    private long received;
    private boolean expected;

    Ring(Neighbours neighbours) {
        super(neighbours);
        schedule = new RingSchedule(rank, ranks);
        next = (rank + 1) % ranks;
        previous = (rank + ranks - 1) % ranks;
    }

    @Override
    public int run(Step step, Waiter waiter) {
        begin(step);
        long messages = schedule.messages();
        while (received < messages || sent < messages) {
            boolean moved = sent < messages && send(step);
            long polled = received < messages && usable(step) ? poll(step) : ReceiveLane.NOTHING;
            if (isAddress(polled)) {
                take(step, polled);
                moved = true;
            } else if (polled != ReceiveLane.NOTHING) {
                return failed(previous, polled);
            }
            if (moved) {
                waiter.moved();
            } else if (waiter.idle()) {
                return stopped(received < messages ? previous : next);
            }
        }
        return drain(waiter);
    }

    private void begin(Step step) {
        if (step.allReduces()) {
            schedule.plan(step.count, step.sliceElements, SLICES);
        } else {
            schedule.planHalf(step.collective.gathers(), step.count, step.stride, step.sliceElements, SLICES);
        }
        if (!step.collective.gathers()) {
            partials.begin(neighbours.send[next], SLICES, step.sliceElements * step.elementBytes);
        }
        sent = 0;
        received = 0;
        expected = false;
    }

    private boolean send(Step step) {
        SendLane lane = neighbours.send[next];
        boolean own = schedule.startsChunk(sent);
        // What is not this rank's own input was received so many messages before.
        if (own
                ? step.ready(schedule.sendStart(sent) + schedule.sendLength(sent))
                : received > sent - schedule.slices()) {
            long offset = schedule.sendStart(sent) * step.elementBytes;
            int bytes = schedule.sendLength(sent) * step.elementBytes;
            if (neighbours.offer(step, next, own ? step.in + offset : before(step, offset), bytes)) {
                if (own && !step.collective.reduces() && !step.inPlace()) {
                    NativeMemory.copy(step.in + offset, step.out + offset, bytes);
                }
                sent++;
                return true;
            }
        }
        return lane.progress();
    }

    /** Where the message to be sent on lies. */
    private long before(Step step, long offset) {
        return step.collective.gathers() ? step.out + offset : partials.at(sent - schedule.slices());
    }

    /** Whether the next message can be used at once: what it is reduced with is there, and room for the result. */
    private boolean usable(Step step) {
        return !schedule.reduces(received)
                || (step.ready(schedule.receiveStart(received) + schedule.receiveLength(received))
                        && (step.collective.gathers() || partials.free(received)));
    }

    private long poll(Step step) {
        ReceiveLane lane = neighbours.receive[previous];
        if (!expected) {
            long destination =
                    schedule.reduces(received) ? 0 : step.out + schedule.receiveStart(received) * step.elementBytes;
            lane.expect(destination, schedule.receiveLength(received) * step.elementBytes, step.fingerprint);
            expected = true;
        }
        return lane.poll();
    }

    private void take(Step step, long address) {
        if (schedule.reduces(received)) {
            reduce(step, address);
        }
        neighbours.receive[previous].release();
        expected = false;
        received++;
        if (step.staged()) {
            step.completed(schedule.completed(received));
        }
    }

    private void reduce(Step step, long address) {
        long offset = schedule.receiveStart(received) * step.elementBytes;
        int count = schedule.receiveLength(received);
        if (schedule.finishes(received)) {
            step.reducer.reduceLast(address, step.in + offset, step.out + offset, count);
        } else {
            long partial = step.collective.gathers() ? step.out + offset : partials.at(received);
            step.reducer.reduce(address, step.in + offset, partial, count);
        }
    }
}
