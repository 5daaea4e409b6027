package dev.mininccl.hera.master;

import dev.mininccl.hera.wire.Frame;
import dev.mininccl.hera.wire.Message;
import java.util.ArrayList;
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

    /** Small parts together, large ones apart. */
    List<Message.Gathered> results() {
        List<Message.Gathered> results = new ArrayList<>();
        List<byte[]> parts = new ArrayList<>();
        int bytes = 0;
        int first = 0;
        for (int rank = 0; rank < contributions.length; rank++) {
            parts.add(contributions[rank]);
            bytes += contributions[rank].length;
            if (bytes >= Frame.CONTRIBUTION_LIMIT || rank == contributions.length - 1) {
                results.add(new Message.Gathered(round, first, List.copyOf(parts)));
                parts.clear();
                bytes = 0;
                first = rank + 1;
            }
        }
        return results;
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
