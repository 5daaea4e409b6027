package dev.mininccl.core.tuning;

/**
 * What all lanes of a communicator have in common; agreed at set-up, so that every rank plans alike.
 *
 * @param ranks how many
 * @param slotBytes the smallest slot of any lane
 * @param referenceBytes the smallest reference slice of any lane; 0 if one lane has none
 * @param network whether any lane leaves the machine's memory (TCP, verbs)
 */
public record LaneTraits(int ranks, int slotBytes, int referenceBytes, boolean network) {

    /** The same lanes, with all slices in slots. */
    public LaneTraits withoutReferences() {
        return new LaneTraits(ranks, slotBytes, 0, network);
    }
}
