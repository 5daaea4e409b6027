package dev.mininccl.cli.perf;

import dev.mininccl.bindings.posix.PosixException;
import dev.mininccl.bindings.posix.Sched;
import dev.mininccl.core.settings.Setting;
import java.lang.System.Logger.Level;
import java.util.BitSet;
import java.util.Map;

/**
 * Binds the ranks that this command starts to a core each, where there are enough, as launchers of MPI do: two ranks that
 * the kernel puts on one core for a moment take turns of milliseconds. Only the thread that reduces is bound.
 */
final class Binding {

    private static final System.Logger LOG = System.getLogger("mininccl.perf");

    private Binding() {}

    /** Whether the environment, which the communicator has checked, leaves it to us. */
    static boolean wanted(Map<String, String> environment) {
        return !"off"
                .equalsIgnoreCase(environment
                        .getOrDefault(Setting.PIN_THREADS.variable(), "")
                        .strip());
    }

    /**
     * Binds the calling thread.
     *
     * @param rank the rank, of {@code ranks} on this machine
     * @param ranks how many
     * @return whether it was bound
     */
    static boolean bind(int rank, int ranks) {
        try {
            BitSet allowed = Sched.affinity();
            if (ranks > allowed.cardinality()) {
                return false;
            }
            int processor = allowed.nextSetBit(0);
            for (int i = 0; i < rank; i++) {
                processor = allowed.nextSetBit(processor + 1);
            }
            BitSet one = new BitSet();
            one.set(processor);
            Sched.setAffinity(one);
            return true;
        } catch (PosixException e) {
            LOG.log(Level.DEBUG, "rank {0} is not bound to a core: {1}", rank, e.getMessage());
            return false;
        }
    }
}
