package dev.mininccl.hera.master;

import dev.mininccl.core.spi.AbortReason;
import dev.mininccl.core.spi.MismatchReport;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Finds out what every rank called as one operation. */
final class Disagreement {

    /** How long it waits for ranks that are busy, or on their way to the call. */
    static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** When those who had not called yet are asked again. */
    static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    final long sequence;
    final long deadlineNanos;
    private final int reporter;
    private final String[] calls;
    private final boolean[] gone;
    private long askAgainNanos;

    Disagreement(long sequence, int reporter, int world, long now) {
        this.sequence = sequence;
        this.reporter = reporter;
        this.calls = new String[world];
        this.gone = new boolean[world];
        this.deadlineNanos = now + LIMIT_NANOS;
        this.askAgainNanos = now + ASK_AGAIN_NANOS;
    }

    /** A rank's first answer counts; an empty one means that it has not called the operation yet. */
    void called(int rank, String call) {
        if (calls[rank] == null && !call.isEmpty()) {
            calls[rank] = call;
        }
    }

    /** A rank that cannot answer any more. */
    void gone(int rank) {
        gone[rank] = true;
    }

    boolean complete() {
        return missing().isEmpty();
    }

    /** Those to ask, again and again. */
    List<Integer> missing() {
        return Ranks.where(calls.length, rank -> calls[rank] == null && !gone[rank]);
    }

    boolean asksAgain(long now) {
        if (now - askAgainNanos < 0) {
            return false;
        }
        askAgainNanos = now + ASK_AGAIN_NANOS;
        return true;
    }

    long dueInNanos(long now) {
        return Math.min(deadlineNanos, askAgainNanos) - now;
    }

    AbortReason reason() {
        String text = MismatchReport.compose(sequence, Arrays.asList(calls));
        return new AbortReason(AbortReason.Kind.MISMATCH, atFault(), sequence, text);
    }

    /** The one that stands alone against two or more who agree; otherwise the one that noticed. */
    private int atFault() {
        Map<String, List<Integer>> byCall = IntStream.range(0, calls.length)
                .boxed()
                .collect(Collectors.groupingBy(rank -> Objects.requireNonNullElse(calls[rank], "")));
        List<List<Integer>> alone =
                byCall.values().stream().filter(ranks -> ranks.size() == 1).toList();
        return byCall.size() == 2 && alone.size() == 1 ? alone.getFirst().getFirst() : reporter;
    }
}
