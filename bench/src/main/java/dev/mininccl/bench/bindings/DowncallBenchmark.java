package dev.mininccl.bench.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.mininccl.bindings.NativeLibraries;
import dev.mininccl.bindings.NativeLibrary;
import dev.mininccl.bindings.posix.ErrnoCapture;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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

/**
 * What a call into C costs in each of the forms the bindings use. The callee, {@code abs}, takes about a nanosecond.
 *
 * <p>{@code table} is how verbs are posted and polled: the function pointer is read from a table at set-up and is the handle's first
 * argument.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
public class DowncallBenchmark {
    private static final FunctionDescriptor INT_OF_INT = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
    private static final NativeLibrary LIBC = NativeLibraries.libc();

    private static final MethodHandle PLAIN = LIBC.handle("abs", INT_OF_INT);
    private static final MethodHandle CRITICAL = LIBC.handle("abs", INT_OF_INT, Linker.Option.critical(false));
    private static final MethodHandle ERRNO = LIBC.errnoHandle("abs", INT_OF_INT);
    private static final MethodHandle TABLE = NativeLibrary.pointerHandle(INT_OF_INT);
    private static final MethodHandle TABLE_CRITICAL =
            NativeLibrary.pointerHandle(INT_OF_INT, Linker.Option.critical(false));

    private final MemorySegment entry = LIBC.address("abs");
    private final ErrnoCapture errno = new ErrnoCapture();
    private int value = -7;

    /**
     * The same in Java, for the loop's own cost.
     *
     * @return the absolute value
     */
    @Benchmark
    public int java() {
        return Math.abs(value);
    }

    /**
     * A plain call.
     *
     * @return the absolute value
     * @throws Throwable never
     */
    @Benchmark
    public int plain() throws Throwable {
        return (int) PLAIN.invokeExact(value);
    }

    /**
     * Without a change of the thread's state.
     *
     * @return the absolute value
     * @throws Throwable never
     */
    @Benchmark
    public int critical() throws Throwable {
        return (int) CRITICAL.invokeExact(value);
    }

    /**
     * With {@code errno} stored into a segment made at set-up.
     *
     * @return the absolute value
     * @throws Throwable never
     */
    @Benchmark
    public int errno() throws Throwable {
        return (int) ERRNO.invokeExact(errno.segment(), value);
    }

    /**
     * Through a pointer from a table.
     *
     * @return the absolute value
     * @throws Throwable never
     */
    @Benchmark
    public int table() throws Throwable {
        return (int) TABLE.invokeExact(entry, value);
    }

    /**
     * Through a pointer from a table, without a change of the thread's state.
     *
     * @return the absolute value
     * @throws Throwable never
     */
    @Benchmark
    public int tableCritical() throws Throwable {
        return (int) TABLE_CRITICAL.invokeExact(entry, value);
    }
}
