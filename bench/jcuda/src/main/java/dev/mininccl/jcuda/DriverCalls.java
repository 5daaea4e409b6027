package dev.mininccl.jcuda;

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

/**
 * The same driver calls through FFM and through JNI. What is enqueued comes in batches that fit the stream's queue and is waited
 * for between them, outside the time: a full queue would measure the GPU.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class DriverCalls {
    /** Launches that a stream holds without waiting: at least a thousand. */
    private static final int BATCH = 256;

    /** Launches a kernel without parameters through FFM. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchFfm(FfmCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.launch();
        }
    }

    /** The same through JCuda. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchJcuda(JcudaCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.launch();
        }
    }

    /** Launches a kernel with one parameter, prepared once, through FFM. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchWithPointerFfm(FfmCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.launchWithPointer();
        }
    }

    /** The same through JCuda. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchWithPointerJcuda(JcudaCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.launchWithPointer();
        }
    }

    /** Enqueues a copy of 8 bytes through FFM. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void copyFfm(FfmCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.copy();
        }
    }

    /** The same through JCuda. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void copyJcuda(JcudaCalls.Drained calls) {
        for (int i = 0; i < BATCH; i++) {
            calls.copy();
        }
    }

    /** Asks for an event that is done, through FFM. */
    @Benchmark
    public boolean eventQueryFfm(FfmCalls calls) {
        return calls.eventDone();
    }

    /** The same through JCuda. */
    @Benchmark
    public boolean eventQueryJcuda(JcudaCalls calls) {
        return calls.eventDone();
    }

    /** Asks for a stream that is idle, through FFM. */
    @Benchmark
    public boolean streamQueryFfm(FfmCalls calls) {
        return calls.streamDone();
    }

    /** The same through JCuda. */
    @Benchmark
    public boolean streamQueryJcuda(JcudaCalls calls) {
        return calls.streamDone();
    }
}
