package dev.mininccl.cli.perf;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The collectives that {@code perf} measures. */
enum Collective {
    ALL_REDUCE("all_reduce", false) {
        @Override
        double busFactor(int ranks) {
            return 2.0 * (ranks - 1) / ranks;
        }
    };

    private final String label;
    private final boolean rooted;

    Collective(String label, boolean rooted) {
        this.label = label;
        this.rooted = rooted;
    }

    /** The name on the command line. */
    String label() {
        return label;
    }

    /** Whether one rank is the source or the target. */
    boolean rooted() {
        return rooted;
    }

    /** What the algorithm bandwidth is multiplied by to be comparable with the hardware's (nccl-tests' PERFORMANCE.md). */
    abstract double busFactor(int ranks);

    static Collective of(String label) {
        for (Collective collective : values()) {
            if (collective.label.equals(label)) {
                return collective;
            }
        }
        String allowed = Arrays.stream(values()).map(Collective::label).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("collective '" + label + "': must be " + allowed);
    }
}
