package dev.mininccl.transport.verbs;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** Counts bytes that a thread allocates. */
final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 60;
    private static final int TURNS = 300;

    private Allocations() {}

    /** Interpreted code may allocate where compiled code does not, so there are many rounds. */
    static void assertNone(LongSupplier action) {
        long allocated = Long.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < ROUNDS && allocated > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int turn = 0; turn < TURNS; turn++) {
                sum += action.getAsLong();
            }
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        if (allocated > 0) {
            throw new AssertionError(allocated + " B in " + TURNS + " turns, even after " + ROUNDS + " rounds; " + sum);
        }
    }
}
