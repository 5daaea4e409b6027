package dev.mininccl.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What moving a slice costs at least: one copy between two native segments. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CopyBenchmark {

    /** Bytes copied in one call. */
    @Param({"64", "4096", "131072"})
    long bytes;

    private Arena arena;
    private MemorySegment from;
    private MemorySegment to;

    /** Allocates both segments, aligned as slots are. */
    @Setup(Level.Trial)
    public void allocate() {
        arena = Arena.ofConfined();
        from = arena.allocate(bytes, 128);
        to = arena.allocate(bytes, 128);
    }

    /** Frees both segments. */
    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /**
     * Copies once.
     *
     * @return the copy, so that it is not optimised away
     */
    @Benchmark
    public MemorySegment copy() {
        return to.copyFrom(from);
    }
}
