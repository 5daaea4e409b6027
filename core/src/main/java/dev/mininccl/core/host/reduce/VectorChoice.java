package dev.mininccl.core.host.reduce;

import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Decides, once per JVM, whether vector kernels are used. They need an optional module, and C2: where vector code is not compiled
 * by it ({@code -Xint}, {@code -XX:TieredStopAtLevel=1}, other JVMs) it is 5 to 600 times slower than the scalar kernels.
 */
final class VectorChoice {

    /** How long vector kernels have to become faster than scalar ones. */
    static final Duration AT_MOST = Duration.ofSeconds(4);

    private static final String MODULE = "jdk.incubator.vector";
    private static final Kernel TRIAL = new Kernel(DataType.FLOAT32, ReduceOp.SUM);
    private static final System.Logger LOG = System.getLogger("mininccl.reduce");

    private VectorChoice() {}

    /** Decides at its first use, while other threads wait. */
    private static final class Auto {
        static final boolean VECTORS = present() && faster();
    }

    static boolean vectors(Settings settings) {
        return switch (settings.text(Setting.REDUCER)) {
            case "scalar" -> false;
            case "vector" -> demanded();
            default -> Auto.VECTORS;
        };
    }

    private static boolean demanded() {
        if (present()) {
            return true;
        }
        throw new InvalidCallException(Setting.REDUCER.variable() + "=vector: this JVM runs without the module "
                + MODULE + "; add --add-modules " + MODULE + ", or choose auto or scalar");
    }

    private static boolean present() {
        Module self = VectorChoice.class.getModule();
        ModuleLayer layer = self.getLayer() == null ? ModuleLayer.boot() : self.getLayer();
        boolean present = layer.findModule(MODULE).map(self::canRead).orElse(false);
        if (!present) {
            LOG.log(Level.INFO, "reductions are scalar: --add-modules " + MODULE + " makes them faster");
        }
        return present;
    }

    private static boolean faster() {
        try (Exercise scalar = new Exercise(TRIAL, false);
                Exercise vector = new Exercise(TRIAL, true)) {
            long start = System.nanoTime();
            do {
                scalar.round(0);
                vector.round(0);
                if (vector.nanosPerByte(0) < scalar.nanosPerByte(0)) {
                    LOG.log(Level.DEBUG, "reductions use vectors");
                    return true;
                }
            } while (Exercise.pause() && System.nanoTime() - start < AT_MOST.toNanos());
            LOG.log(Level.INFO, "reductions are scalar: this JVM does not compile vector code, or has no time to");
            return false;
        }
    }
}
