package dev.mininccl.core.gpu;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.Shares;
import dev.mininccl.core.host.Staging;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What relay.cu does, on the calling thread and ordinary memory: asks, fills and empties by pieces of random size, block after block.
 * Shares are computed as the kernel computes them, not as the engine does.
 */
public final class HostRelay implements StagedCalls {
    private static final int LINE = 128;
    private static final int MOST = 128;

    private final Arena arena = Arena.ofShared();
    private final long segmentBytes;
    private final long memory;
    private final LentMemory lent;
    private final BooleanSupplier withdraw;
    private final long lines;
    private final int channels;
    private final int rank;
    private final int ranks;
    private final long leastShare;
    private final StagingServer server;
    private final long[] segments;
    private final long[] emptied;
    private final Random random;
    private long number;
    private boolean closed;
    private volatile boolean freed;

    public HostRelay(
            long stagingBytes,
            int channels,
            long leastShare,
            long seed,
            int rank,
            int ranks,
            StagingServer.Operations operations,
            BooleanSupplier withdraw,
            Consumer<Throwable> broken) {
        segmentBytes = Shares.segmentBytes(stagingBytes);
        memory = arena.allocate(2 * segmentBytes, 4096).address();
        lent = new LentMemory(memory, 2 * segmentBytes, _ -> freed = true);
        this.withdraw = withdraw;
        lines = arena.allocate(Staging.LINES_BYTES, LINE).address();
        this.channels = channels;
        this.rank = rank;
        this.ranks = ranks;
        this.leastShare = leastShare;
        segments = new long[channels];
        emptied = new long[channels];
        random = new Random(seed);
        Staging staging = new Staging(lent.segment(), lines, channels);
        server = new StagingServer("test-staging", new BitSet(), staging, operations, broken);
    }

    @Override
    public boolean run(Collective collective, long in, long out, long count, DataType type, ReduceOp op) {
        NativeMemory.putLong(lines + 8, OperationCode.of(collective, type, op, count));
        number++;
        NativeMemory.putLongRelease(lines, number);
        server.wake();
        long segment = Shares.segment(count, collective.parts(ranks) * type.bytes(), segmentBytes);
        Block[] blocks = new Block[2 * channels];
        Arrays.setAll(
                blocks, i -> new Block(collective, i % channels, i < channels, segment, in, out, count, type.bytes()));
        while (!Arrays.stream(blocks).allMatch(Block::done)) {
            boolean moved = false;
            for (Block block : blocks) {
                moved |= !block.done() && block.step();
            }
            if (!moved && !server.running()) {
                return false;
            }
            if (!moved) {
                Thread.yield();
            }
        }
        while (count == 0 && NativeMemory.getLongAcquire(lines + LINE) < number) {
            if (!server.running()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        server.close();
        if (!server.running() && lent.close(withdraw)) {
            arena.close();
        }
    }

    /** Whether the staging memory may be gone. */
    public boolean freed() {
        return freed;
    }

    /** One block of the kernel. */
    private final class Block {
        private final int inputs;
        private final int outputs;
        private final boolean own;
        private final int channel;
        private final boolean fills;
        private final long most;
        private final long in;
        private final long out;
        private final long count;
        private final int size;
        private final long before;
        private long first;
        private long moved;

        Block(Collective collective, int channel, boolean fills, long most, long in, long out, long count, int size) {
            inputs = collective.inputs(ranks);
            outputs = collective.outputs(ranks);
            own = collective == (fills ? Collective.ALL_GATHER : Collective.REDUCE_SCATTER);
            this.channel = channel;
            this.fills = fills;
            this.most = most;
            this.in = in;
            this.out = out;
            this.count = count;
            this.size = size;
            before = fills ? segments[channel] : emptied[channel];
        }

        boolean done() {
            return first >= count;
        }

        boolean step() {
            long elements = Math.min(most, count - first);
            long working = Math.clamp(elements * size * inputs * outputs / leastShare, 1, channels);
            long each = (elements / working + 63) / 64 * 64;
            while (working > 1 && each * (working - 1) >= elements) {
                working--;
                each = (elements / working + 63) / 64 * 64;
            }
            each = working == 1 ? elements : each;
            long start = channel < working ? channel * each * size : 0;
            long share = channel < working ? (channel + 1 < working ? each : elements - channel * each) * size : 0;
            long bytes = share * (fills ? inputs : outputs);
            long stride = (elements + 63) / 64 * 64 * size;
            long segment = 1 + (fills ? segments[channel] : emptied[channel]);
            // Where the piece that comes next lies: how far into a part, and into which.
            long at = share == 0 ? 0 : moved % share;
            long part = share == 0 ? 0 : moved / share;
            long staged = memory + (segment & 1) * segmentBytes + start + at + (part + (own ? rank : 0)) * stride;
            long user = first * size + start + at + part * count * size;
            boolean moves = bytes == 0
                    || (fills
                            ? fill(segment, staged, in + user, share - at)
                            : empty(segment, staged, out + user, share - at, bytes));
            if (moves && moved >= bytes) {
                moved = 0;
                first += elements;
                if (fills) {
                    segments[channel] = segment;
                } else {
                    emptied[channel] = segment;
                }
            }
            return moves;
        }

        private boolean fill(long segment, long staged, long from, long left) {
            if (segment - before > 1) {
                boolean free = NativeMemory.getLongAcquire(lines + 2 * LINE) >= segment - 2;
                for (int c = 0; c <= (inputs * outputs == 1 ? channel : channels - 1); c++) {
                    free &= emptied[c] >= segment - 2;
                }
                if (!free) {
                    return false;
                }
            }
            long piece = Math.min(left, 1 + random.nextInt(100_000));
            NativeMemory.copy(from, staged, piece);
            moved += piece;
            NativeMemory.putLongRelease(lines + (3L + channel) * LINE, segment << 32 | moved);
            return true;
        }

        private boolean empty(long segment, long staged, long to, long left, long bytes) {
            long mark = NativeMemory.getLongAcquire(lines + (3L + MOST + channel) * LINE);
            if (mark - (segment << 32 | (moved + 1)) < 0) {
                return false;
            }
            long end = mark >>> 32 == segment ? mark & 0xffff_ffffL : bytes;
            long piece = Math.min(left, end - moved);
            NativeMemory.copy(staged, to, piece);
            moved += piece;
            return true;
        }
    }
}
