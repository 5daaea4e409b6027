package dev.mininccl.core.spi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Words for a disagreement between ranks, made from what each says it called. */
public final class MismatchReport {

    private MismatchReport() {}

    /**
     * Names who differs and how.
     *
     * @param sequence the operation's number
     * @param called what each rank called, in rank order; {@code null} for one that has not called it yet
     * @return for example {@code ranks disagree on operation #3: ranks 0, 1 called all_reduce of 10 float, sum; rank 2
     *     called all_reduce of 20 float, sum}
     */
    public static String compose(long sequence, List<String> called) {
        Map<String, List<Integer>> byCall = new LinkedHashMap<>();
        for (int rank = 0; rank < called.size(); rank++) {
            String call = called.get(rank);
            byCall.computeIfAbsent(call == null ? "" : call, key -> new ArrayList<>())
                    .add(rank);
        }
        List<String> parts = new ArrayList<>();
        byCall.forEach(
                (call, ranks) -> parts.add(who(ranks) + (call.isEmpty() ? "did not call it" : "called " + call)));
        if (parts.size() == 1) {
            return "fingerprints of operation #" + sequence + " differ although " + parts.getFirst()
                    + ": data was damaged on its way, or this is a defect of Mini-NCCL";
        }
        return "ranks disagree on operation #" + sequence + ": " + String.join("; ", parts)
                + ". Make the same calls in the same order on all ranks, then join anew";
    }

    private static String who(List<Integer> ranks) {
        StringBuilder text = new StringBuilder(ranks.size() == 1 ? "rank " : "ranks ");
        for (int i = 0; i < ranks.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(ranks.get(i));
        }
        return text.append(' ').toString();
    }
}
