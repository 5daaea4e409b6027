package dev.mininccl.bench.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The least control plane that measurements need: a mapped file in which every rank has a counter and two banks for its messages, so
 * that a barrier costs a microsecond.
 */
final class FileBootstrap implements Bootstrap {
    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final long COUNTERS = 4096;
    private static final long BANK = 64 * 1024;

    private final int rank;
    private final int size;
    private final MemorySegment shared;
    private long round;

    FileBootstrap(Path file, int rank, int size) {
        this.rank = rank;
        this.size = size;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            shared = channel.map(FileChannel.MapMode.READ_WRITE, 0, COUNTERS + size * 2L * BANK, Arena.ofAuto());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public List<byte[]> allGather(byte[] mine, Deadline deadline) {
        MemorySegment slot = slot(rank);
        slot.set(JAVA_INT, 0, mine.length);
        MemorySegment.copy(mine, 0, slot, JAVA_BYTE, 8, mine.length);
        round++;
        LONG.setRelease(shared, rank * 128L, round);
        List<byte[]> all = new ArrayList<>();
        for (int r = 0; r < size; r++) {
            while ((long) LONG.getAcquire(shared, r * 128L) < round) {
                if (deadline.expired()) {
                    throw new IllegalStateException("rank " + r + " did not come to round " + round);
                }
                Thread.onSpinWait();
            }
        }
        round--;
        for (int r = 0; r < size; r++) {
            MemorySegment from = slot(r);
            all.add(from.asSlice(8, from.get(JAVA_INT, 0)).toArray(JAVA_BYTE));
        }
        round++;
        return all;
    }

    private MemorySegment slot(int r) {
        return shared.asSlice(COUNTERS + (2L * r + (round & 1)) * BANK, BANK);
    }

    void barrier() {
        barrier(Deadline.afterNanos(120_000_000_000L));
    }

    @Override
    public void listen(Listener listener) {}

    @Override
    public void abort(AbortReason reason) {}

    @Override
    public void reportMismatch(long sequence) {}

    @Override
    public void close() {}
}
