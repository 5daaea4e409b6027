package dev.mininccl.core.tuning;

/**
 * How an operation is run; the same on all ranks.
 *
 * @param algorithm which one
 * @param sliceBytes payload of a slice
 * @param byReference whether receivers read slices from the sender's memory
 * @param windows whether to try the registered form first
 */
public record Plan(Algorithm algorithm, int sliceBytes, boolean byReference, boolean windows) {

    /** The algorithms of the host engine. */
    public enum Algorithm {
        ONE_SHOT("one-shot"),
        TWO_SHOT("two-shot"),
        RING("ring");

        private final String label;

        Algorithm(String label) {
            this.label = label;
        }

        /** As in the setting ALGORITHM. */
        public String label() {
            return label;
        }
    }
}
