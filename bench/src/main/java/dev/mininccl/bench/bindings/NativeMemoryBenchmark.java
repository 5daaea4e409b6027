package dev.mininccl.bench.bindings;

import dev.mininccl.bindings.posix.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a lane's counters cost: by absolute address, and through a segment of their own. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
public class NativeMemoryBenchmark {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment = Arena.ofAuto().allocate(64, 64);
    private final long address = segment.address();

    /**
     * Publishes and polls by address.
     *
     * @return what was polled
     */
    @Benchmark
    public long address() {
        NativeMemory.putLongRelease(address, NativeMemory.getLongAcquire(address + 8));
        return NativeMemory.getLongAcquire(address);
    }

    /**
     * Publishes and polls through a bounded segment.
     *
     * @return what was polled
     */
    @Benchmark
    public long segment() {
        LONG.setRelease(segment, 0L, (long) LONG.getAcquire(segment, 8L));
        return (long) LONG.getAcquire(segment, 0L);
    }

    /**
     * Adds atomically, as counters with several writers must.
     *
     * @return the value before
     */
    @Benchmark
    public long getAndAdd() {
        return NativeMemory.getAndAddLong(address, 1);
    }
}
