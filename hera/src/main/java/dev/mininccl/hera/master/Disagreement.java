package dev.mininccl.hera.master;

import dev.mininccl.core.spi.AbortReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds out what every rank called as one operation, and puts it into words. */
final class Disagreement {

    /** In place of an answer; not a line that a rank can send. */
    private static final String GONE = "\n";

    final long sequence;
    final long deadlineNanos;
    private final int reporter;
    private final Map<Integer, String> answers = new LinkedHashMap<>();
    private final int world;

    Disagreement(long sequence, int reporter, int world, long deadlineNanos) {
        this.sequence = sequence;
        this.reporter = reporter;
        this.world = world;
        this.deadlineNanos = deadlineNanos;
    }

    /** A rank's first answer counts; an empty one means that it does not know the operation. */
    void called(int rank, String call) {
        answers.putIfAbsent(rank, call);
    }

    /** A rank that cannot answer. */
    void gone(int rank) {
        answers.putIfAbsent(rank, GONE);
    }

    boolean complete() {
        return answers.size() == world;
    }

    AbortReason reason() {
        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        for (int rank = 0; rank < world; rank++) {
            groups.computeIfAbsent(answers.getOrDefault(rank, ""), _ -> new ArrayList<>())
                    .add(rank);
        }
        List<String> parts = new ArrayList<>();
        groups.forEach((answer, members) -> parts.add(phrase(members, answer)));
        String text = groups.size() > 1
                ? "ranks disagree on operation #" + sequence + ": " + String.join("; ", parts)
                : "fingerprints of operation #" + sequence + " differ although " + parts.getFirst()
                        + ": data was damaged on the way, or this is a defect of Mini-NCCL";
        return new AbortReason(AbortReason.Kind.MISMATCH, atFault(groups), sequence, text);
    }

    private static String phrase(List<Integer> ranks, String answer) {
        boolean one = ranks.size() == 1;
        return Ranks.text(ranks)
                + switch (answer) {
                    case "" -> (one ? " has" : " have") + " not called it yet";
                    case GONE -> (one ? " is" : " are") + " gone";
                    default -> " called " + answer;
                };
    }

    /** The one that stands alone against two or more who agree; otherwise the one that noticed. */
    private int atFault(Map<String, List<Integer>> groups) {
        List<List<Integer>> alone =
                groups.values().stream().filter(ranks -> ranks.size() == 1).toList();
        return groups.size() == 2 && alone.size() == 1 ? alone.getFirst().getFirst() : reporter;
    }
}
