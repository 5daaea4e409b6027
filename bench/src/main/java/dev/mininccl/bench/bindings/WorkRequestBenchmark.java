package dev.mininccl.bench.bindings;

import dev.mininccl.bindings.ibverbs.SendRequests;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What preparing an RDMA write costs, patched in place as the transport does. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
public class WorkRequestBenchmark {
    private static final int CHAIN = 16;

    private final Arena arena = Arena.ofAuto();
    private final SendRequests requests = new SendRequests(arena, CHAIN);
    private long local = 0x7f0000000000L;
    private long remote = 0x7e0000000000L;
    private int bytes = 131072;
    private int turn;

    /** One request, another each time. */
    @Benchmark
    public void patch() {
        int index = turn++ & (CHAIN - 1);
        requests.patchWrite(index, local, 1, bytes, remote, 2, turn, SendRequests.SIGNALED, SendRequests.NONE);
    }

    /** A chain of sixteen, of which the last is reported; the figure is for one. */
    @Benchmark
    @OperationsPerInvocation(CHAIN)
    public void patchChain() {
        for (int index = 0; index < CHAIN - 1; index++) {
            requests.patchWrite(index, local + index, 1, bytes, remote + index, 2, turn, 0, index + 1);
        }
        requests.patchWrite(CHAIN - 1, local, 1, bytes, remote, 2, turn++, SendRequests.SIGNALED, SendRequests.NONE);
    }
}
