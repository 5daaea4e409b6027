package dev.mininccl.core.gpu;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.Shares;
import dev.mininccl.core.host.Staging;
import dev.mininccl.core.schedule.Collective;

/**
 * The relay in its plain form: a segment is copied to staging memory, marked there for each channel, waited for, and copied back; then
 * the next one. Slow, since nothing overlaps, but no two blocks need to run at the same time, and it is the one to compare the kernel
 * with. It counts on the host, so it cannot be captured.
 */
final class StepwiseRelay implements Relay {

    /** A mark is a segment's number above so many bits of how many bytes are there. */
    private static final int NUMBER_SHIFT = 32;

    private final Steps steps;
    private final long memory;
    private final long lines;
    private final long segmentBytes;
    private final int channels;
    private final long leastShare;
    private final int rank;
    private final int ranks;
    private long operations;
    private long segments;

    /**
     * Takes over the steps.
     *
     * @param memory the two halves of the staging memory, as the steps address it
     * @param lines its lines, likewise
     * @param segmentBytes the size of a half
     * @param channels of the host engine
     * @param leastShare bytes from which on a further one takes part
     * @param rank this one
     * @param ranks how many
     */
    StepwiseRelay(
            Steps steps,
            long memory,
            long lines,
            long segmentBytes,
            int channels,
            long leastShare,
            int rank,
            int ranks) {
        this.rank = rank;
        this.ranks = ranks;
        this.steps = steps;
        this.memory = memory;
        this.lines = lines;
        this.segmentBytes = segmentBytes;
        this.channels = channels;
        this.leastShare = leastShare;
    }

    @Override
    public void run(
            Collective collective, long input, long output, long count, DataType type, ReduceOp op, long stream) {
        steps.on(stream);
        steps.publish(lines + Staging.CODE, OperationCode.of(collective, type, op, count));
        steps.publish(lines + Staging.NUMBER, ++operations);
        if (count == 0) {
            // With nothing to wait for, the next operation's request could overtake this one's.
            steps.await(lines + Staging.SERVED, operations);
            return;
        }
        int size = type.bytes();
        long most = Shares.segment(count, collective.parts(ranks) * size, segmentBytes);
        for (long first = 0; first < count; first += most) {
            long offset = first * size;
            segment(collective, input + offset, output + offset, Math.min(most, count - first), count * size, size);
        }
    }

    /** Its half is free: the host began the segment before this one, which was waited for, after it had done with the one before that. */
    private void segment(Collective collective, long from, long to, long elements, long stride, int size) {
        long mark = ++segments << NUMBER_SHIFT;
        long half = memory + (segments & 1) * segmentBytes;
        long bytes = elements * size;
        long staged = Shares.stride(elements) * size;
        int inputs = collective.inputs(ranks);
        int outputs = collective.outputs(ranks);
        int shares = Shares.channels(collective.parts(ranks) * bytes, elements, channels, leastShare);
        long share = Shares.share(elements, shares) * size;
        long last = bytes - (shares - 1) * share;
        // The only part of several lies at this rank's place.
        long firstInput = collective.inputPlace(rank) * staged;
        long firstOutput = collective.outputPlace(rank) * staged;
        for (int part = 0; part < inputs; part++) {
            steps.copy(from + part * stride, half + firstInput + part * staged, bytes);
        }
        for (int channel = 0; channel < shares; channel++) {
            steps.publish(lines + Staging.arrived(channel), mark | inputs * (channel + 1 < shares ? share : last));
        }
        for (int channel = 0; channel < shares; channel++) {
            steps.await(lines + Staging.completed(channel), mark | outputs * (channel + 1 < shares ? share : last));
        }
        for (int part = 0; part < outputs; part++) {
            steps.copy(half + firstOutput + part * staged, to + part * stride, bytes);
        }
        steps.endRound();
    }

    @Override
    public void close() {
        steps.close();
    }
}
