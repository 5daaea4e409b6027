package dev.mininccl.bench.reduce;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.reduce.KernelWarmup;
import dev.mininccl.core.host.reduce.Reducer;
import dev.mininccl.core.host.reduce.Reducers;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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

/**
 * Kernels alone: bytes of result a nanosecond, which is GB/s. Run with {@code -prof gc} to see that nothing is allocated, and
 * with {@code -p type=… -p op=…} to see all types and operations.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
public class ReducerBenchmark {

    /** Operands of {@link #reduceAll}. */
    private static final int OPERANDS = 4;

    private static final Duration WARMUP = Duration.ofSeconds(20);

    /** Between buffers, so that they do not start in the same cache sets. */
    private static final int GAP = 1344;

    /** Bytes of result of one call: a slice in the first-level cache, or one in memory. */
    @Param({"32768"})
    int bytes;

    /** The type of the elements. */
    @Param({"FLOAT32", "BFLOAT16", "FLOAT16", "FLOAT8E4M3", "INT8"})
    DataType type;

    /** The operation. */
    @Param({"SUM", "AVG"})
    ReduceOp op;

    /** Which kernels. */
    @Param({"vector", "scalar"})
    String reducer;

    private final long[] operands = new long[OPERANDS];
    private Arena arena;
    private Reducer kernel;
    private int count;
    private long out;
    private long copy;

    /** Allocates operands and results. */
    @Setup(Level.Trial)
    public void allocate() {
        arena = Arena.ofConfined();
        long step = (long) bytes + GAP;
        long address = arena.allocate(step * (OPERANDS + 2), 4096).address();
        NativeMemory.fill(address, step * (OPERANDS + 2), (byte) 1);
        for (int k = 0; k < OPERANDS; k++) {
            operands[k] = address + k * step;
        }
        out = address + OPERANDS * step;
        copy = out + step;
        count = bytes / type.bytes();
        Settings settings = Settings.defaults().with(Setting.REDUCER, reducer);
        KernelWarmup.warm(type, op, settings, WARMUP);
        kernel = Reducers.of(type, op, 2, settings);
    }

    /** Frees the memory. */
    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /** Counts results; as JMH divides by nanoseconds, it shows GB/s. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Result {
        /** Bytes of result. */
        public long gigabytesPerSecond;
    }

    /**
     * Two operands, nothing follows.
     *
     * @param result counts
     */
    @Benchmark
    public void reduceLast(Result result) {
        kernel.reduceLast(operands[0], operands[1], out, count);
        result.gigabytesPerSecond += bytes;
    }

    /**
     * Two operands, two results.
     *
     * @param result counts
     */
    @Benchmark
    public void reduceLastTwice(Result result) {
        kernel.reduceLastTwice(operands[0], operands[1], out, copy, count);
        result.gigabytesPerSecond += bytes;
    }

    /**
     * Four operands.
     *
     * @param result counts
     */
    @Benchmark
    public void reduceAll(Result result) {
        kernel.reduceAll(operands, OPERANDS, out, count);
        result.gigabytesPerSecond += bytes;
    }
}
