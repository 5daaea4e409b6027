package dev.mininccl.transport.verbs;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.ReceiveLane;

/**
 * Waits for lines that the peer writes into this rank's memory. What was consumed is told with the next slice the other way,
 * or by a write of its own once half the slots wait for it.
 */
final class VerbsReceiveLane implements ReceiveLane {

    /** Looks for failed requests every so many looks for a slice. */
    private static final int LOOK_EVERY = 16;

    private final SlabLayout layout;
    private final SendQueue queue;
    private final Credits credits;
    private final LinkFailure failure;
    private final long lines;
    private final long slots;
    /** Where a short slice without a destination is put. */
    private final long place;
    /** What a credit is sent from. */
    private final long scratch;

    private final int tellAt;

    private final Nudge nudge = new Nudge(System::nanoTime);
    private long remoteCredit;
    /** The number of the slice that comes next. */
    private long next = 1;
    /** Its place. */
    private int slot;

    private long destination;
    private int bytes;
    private long fingerprint;
    private int looks;

    VerbsReceiveLane(SlabLayout layout, long base, SendQueue queue, Credits credits, LinkFailure failure, long place) {
        this.layout = layout;
        this.queue = queue;
        this.credits = credits;
        this.failure = failure;
        this.place = place;
        lines = base + layout.receiveLines();
        slots = base + layout.receiveSlots();
        scratch = base + SlabLayout.SCRATCH;
        tellAt = layout.depth() / 2;
    }

    /** Called before the first slice. */
    void connect(long remoteBase) {
        remoteCredit = remoteBase + SlabLayout.CREDIT;
    }

    @Override
    public void expect(long destination, int bytes, long fingerprint) {
        this.destination = destination;
        this.bytes = bytes;
        this.fingerprint = fingerprint;
    }

    @Override
    public long poll() {
        long line = lines + (long) slot * WordLine.BYTES;
        int length = WordLine.arrived(line, next);
        return length == WordLine.ABSENT ? nothing() : take(line, length);
    }

    private long nothing() {
        if (++looks % LOOK_EVERY == 0) {
            queue.poll();
            tellLate();
            nudge();
        }
        return failure.failed() ? FAILED : NOTHING;
    }

    private long take(long line, int length) {
        credits.grant(WordLine.consumed(line));
        if (length != bytes || WordLine.fingerprint(line) != fingerprint) {
            return MISMATCH;
        }
        if (bytes <= WordLine.SHORT_BYTES) {
            long target = destination == 0 ? place : destination;
            return WordLine.unpack(line, next, target, bytes) ? target : nothing();
        }
        long source = slots + (long) slot * layout.slotBytes();
        if (destination == 0) {
            return source;
        }
        NativeMemory.copy(source, destination, bytes);
        return destination;
    }

    @Override
    public void release() {
        credits.consumed = next++;
        slot = slot + 1 == layout.depth() ? 0 : slot + 1;
        tellLate();
    }

    /** Tells the peer what was consumed, if it may be waiting for it. */
    void tellLate() {
        if (credits.consumed - credits.told >= tellAt && !failure.failed() && queue.room()) {
            tell(0, false);
        }
    }

    /** Writes the counter to the peer. */
    void tell(long goodbye, boolean report) {
        NativeMemory.putLong(scratch, credits.consumed);
        NativeMemory.putLong(scratch + SlabLayout.GOODBYE, goodbye);
        credits.told = credits.consumed;
        queue.write(scratch, SlabLayout.CREDIT_BYTES, remoteCredit, report);
    }

    /**
     * Sends something behind requests that stay unacknowledged. If the last packets were lost, the peer sees a gap only when
     * another one comes, and asks for them at once; else nothing but the queue pair's long time-out would.
     */
    void nudge() {
        if (nudge.due(queue.posted(), queue.completed()) && !failure.failed() && queue.room()) {
            tell(0, true);
            nudge.sent(queue.posted());
        }
    }

    /** Reads what the peer tells with slices that have come but were not asked for yet. */
    void takeCredits() {
        int at = slot;
        for (long number = next; number < next + layout.depth(); number++) {
            long line = lines + (long) at * WordLine.BYTES;
            if (WordLine.arrived(line, number) == WordLine.ABSENT) {
                return;
            }
            credits.grant(WordLine.consumed(line));
            at = at + 1 == layout.depth() ? 0 : at + 1;
        }
    }

    @Override
    public String failure() {
        return failure.text();
    }
}
