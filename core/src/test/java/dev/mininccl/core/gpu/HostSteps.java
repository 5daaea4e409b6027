package dev.mininccl.core.gpu;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.Shares;
import dev.mininccl.core.host.Staging;
import dev.mininccl.core.schedule.Collective;
import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.function.Consumer;

/** A stepwise relay whose steps run on the calling thread and ordinary memory, each when it is enqueued. */
public final class HostSteps implements StagedCalls {
    private final Arena arena = Arena.ofShared();
    private final StagingServer server;
    private final StepwiseRelay relay;
    private boolean stopped;

    public HostSteps(
            long stagingBytes,
            int channels,
            long leastShare,
            int rank,
            int ranks,
            StagingServer.Operations operations,
            Consumer<Throwable> broken) {
        long half = Shares.segmentBytes(stagingBytes);
        long memory = arena.allocate(2 * half, 4096).address();
        long lines = arena.allocate(Staging.LINES_BYTES, 128).address();
        Staging staging = new Staging(NativeMemory.segment(memory, 2 * half, arena), lines, channels);
        server = new StagingServer("test-staging", new BitSet(), staging, operations, broken);
        relay = new StepwiseRelay(new Immediate(), memory, lines, half, channels, leastShare, rank, ranks);
    }

    @Override
    public boolean run(Collective collective, long in, long out, long count, DataType type, ReduceOp op) {
        relay.run(collective, in, out, count, type, op, 0);
        return !stopped;
    }

    @Override
    public void close() {
        server.close();
        relay.close();
        if (!server.running()) {
            arena.close();
        }
    }

    private final class Immediate implements Steps {
        @Override
        public void on(long stream) {}

        @Override
        public void copy(long from, long to, long bytes) {
            NativeMemory.copy(from, to, bytes);
        }

        @Override
        public void publish(long counter, long value) {
            NativeMemory.putLongRelease(counter, value);
            server.wake();
        }

        @Override
        public void await(long counter, long value) {
            while (NativeMemory.getLongAcquire(counter) - value < 0 && !stopped) {
                stopped = !server.running();
                Thread.yield();
            }
        }

        @Override
        public void endRound() {}

        @Override
        public void close() {}
    }
}
