package dev.mininccl.hera.worker;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.Bootstrap.Listener;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** Tells a rank's listener what happened, also what happened before it listened. A listener's failure stays its own. */
final class Notices {

    private static final System.Logger LOG = System.getLogger("mininccl.hera");

    private Listener listener;
    private AbortReason reason;
    private List<Integer> left = new ArrayList<>();

    /** Sets the listener. */
    void listen(Listener to) {
        AbortReason pastReason;
        List<Integer> pastLeft;
        synchronized (this) {
            listener = to;
            pastReason = reason;
            pastLeft = left;
            left = List.of();
        }
        pastLeft.forEach(rank -> quietly(() -> to.left(rank)));
        if (pastReason != null) {
            quietly(() -> to.aborted(pastReason));
        }
    }

    /** Tells that the job was aborted. Called once. */
    void aborted(AbortReason why) {
        Listener to;
        synchronized (this) {
            reason = why;
            to = listener;
        }
        if (to != null) {
            quietly(() -> to.aborted(why));
        }
    }

    /** Tells that a rank left. */
    void left(int rank) {
        Listener to;
        synchronized (this) {
            to = listener;
            if (to == null) {
                left.add(rank);
            }
        }
        if (to != null) {
            quietly(() -> to.left(rank));
        }
    }

    /** What this rank called; empty if it does not know. */
    String describe(long sequence) {
        Listener to;
        synchronized (this) {
            to = listener;
        }
        try {
            String call = to == null ? null : to.describe(sequence);
            return call == null ? "" : call;
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a listener failed to describe an operation", e);
            return "";
        }
    }

    private static void quietly(Runnable notice) {
        try {
            notice.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a listener failed on a notice of the control plane", e);
        }
    }
}
