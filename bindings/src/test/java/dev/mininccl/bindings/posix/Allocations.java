package dev.mininccl.bindings.posix;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Counts what a call allocates once it is compiled. */
public final class Allocations {
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 2_000;
    /** Compilation is in the background, and only its last tier removes what interpreted calls allocate. */
    private static final long COMPILED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    /**
     * Asserts that compiled calls allocate nothing.
     *
     * @param call what to call; its results are added up so that it is not removed
     */
    public static void assertNone(LongSupplier call) {
        long sum = repeat(call, WARM_UP);
        long allocated = Long.MAX_VALUE;
        long deadline = System.nanoTime() + COMPILED_AFTER_NANOS;
        while (allocated > 0 && System.nanoTime() < deadline) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            sum += repeat(call, MEASURED);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).as("bytes for %d calls, sum %d", MEASURED, sum).isZero();
    }

    private static long repeat(LongSupplier call, int times) {
        long sum = 0;
        for (int turn = 0; turn < times; turn++) {
            sum += call.getAsLong();
        }
        return sum;
    }
}
