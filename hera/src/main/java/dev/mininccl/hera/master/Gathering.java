package dev.mininccl.hera.master;

import java.util.List;

/** One all-gather under way. */
final class Gathering {

    final long round;
    private final byte[][] contributions;
    private int missing;
    private int hastiest;
    private long deadlineNanos = Long.MAX_VALUE;
    private int timeoutMillis;

    Gathering(long round, int world) {
        this.round = round;
        this.contributions = new byte[world][];
        this.missing = world;
    }

    boolean has(int rank) {
        return contributions[rank] != null;
    }

    /** A rank has come and waits for the others until {@code timeoutMillis} after {@code now}. */
    void add(int rank, byte[] bytes, int millis, long now) {
        contributions[rank] = bytes;
        missing--;
        long deadline = now + millis * 1_000_000L;
        if (deadlineNanos == Long.MAX_VALUE || deadline - deadlineNanos < 0) {
            deadlineNanos = deadline;
            timeoutMillis = millis;
            hastiest = rank;
        }
    }

    boolean complete() {
        return missing == 0;
    }

    byte[] contribution(int rank) {
        return contributions[rank];
    }

    /** When the first of those who wait gives up. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    List<Integer> missing() {
        return Ranks.where(contributions.length, rank -> contributions[rank] == null);
    }

    /** For the reason of a timeout. */
    String overdue(Member[] members) {
        List<Integer> late = missing();
        return "exchange #" + round + " of the control plane: " + Ranks.text(late) + " did not come within "
                + timeoutMillis + " ms of " + members[hastiest] + "; the first missing is " + members[late.getFirst()]
                + ": see what it does, or raise the timeout";
    }
}
