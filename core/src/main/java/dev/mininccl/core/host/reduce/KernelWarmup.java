package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Settings;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Has kernels compiled before they are needed. Ranks that spin on every core starve the compiler: thousands of operations would
 * then run on code that is 5 to 20 times slower.
 *
 * <p>The order matters too: C2 does not inline what it has already compiled into a big method, so kernels that are compiled before
 * their callers stay out of the engine's loops, which run up to three times slower with a kernel inside.
 */
public final class KernelWarmup {

    /**
     * Whatever is faster is compiled. Vector code compiled by C2 takes 0.01 to 0.05 ns a byte in cache, half-compiled code 0.3 and
     * more; what lies between is left to slower processors.
     */
    private static final double COMPILED_NANOS_PER_BYTE = 0.15;

    /** Scalar code that does not get there counts as compiled when it has not become faster for so long. */
    private static final long SETTLED_NANOS = 100_000_000;

    private static final System.Logger LOG = System.getLogger("mininccl.reduce");

    private record Done(Kernel kernel, boolean vectors) {}

    private static final Set<Done> DONE = new HashSet<>();

    private KernelWarmup() {}

    /**
     * Runs the kernels of a type and operation, with pauses, until they are compiled. Does its work once per JVM; threads that ask
     * meanwhile wait without spinning.
     *
     * @param type the type of the elements
     * @param op the operation
     * @param settings says which kernels are wanted
     * @param atMost when to give up, which is logged and does no harm but to speed
     */
    public static void warm(DataType type, ReduceOp op, Settings settings, Duration atMost) {
        warm(new Done(new Kernel(type, op), VectorChoice.vectors(settings)), atMost.toNanos());
    }

    private static synchronized void warm(Done wanted, long atMostNanos) {
        if (!DONE.add(wanted)) {
            return;
        }
        long start = System.nanoTime();
        long deadline = start + atMostNanos;
        boolean mustBeFast = wanted.vectors && wanted.kernel.hasVectors();
        try (Exercise exercise = new Exercise(wanted.kernel, wanted.vectors)) {
            boolean compiled = true;
            for (int method = 0; method < Exercise.METHODS; method++) {
                compiled &= compiled(exercise, method, mustBeFast, deadline);
            }
            long millis = (System.nanoTime() - start) / 1_000_000;
            LOG.log(
                    Level.DEBUG,
                    "warm-up of {0} {1} {2} after {3} ms",
                    wanted.kernel.type(),
                    wanted.kernel.op(),
                    compiled ? "done" : "given up",
                    millis);
        }
    }

    private static boolean compiled(Exercise exercise, int method, boolean mustBeFast, long deadline) {
        double settled = Double.MAX_VALUE;
        long since = System.nanoTime();
        do {
            exercise.round(method);
            double nanos = exercise.nanosPerByte(method);
            long now = System.nanoTime();
            if (nanos < COMPILED_NANOS_PER_BYTE || (!mustBeFast && now - since > SETTLED_NANOS)) {
                return true;
            }
            if (nanos < settled / 1.5) {
                settled = nanos;
                since = now;
            }
        } while (System.nanoTime() < deadline && Exercise.pause());
        return false;
    }
}
