package dev.mininccl.core.gpu;

import dev.mininccl.core.spi.Bootstrap;
import dev.mininccl.core.spi.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;

/** Steps of set-up that all ranks take, or none. */
final class Voting {
    private final Bootstrap bootstrap;
    private final Deadline deadline;

    Voting(Bootstrap bootstrap, Deadline deadline) {
        this.bootstrap = bootstrap;
        this.deadline = deadline;
    }

    /** A step of one rank; what it throws is its vote against. */
    interface Step {
        void take() throws Exception;
    }

    /** Takes a step and hears how the others fared: empty if all went well, otherwise who failed and why. */
    String failures(Step step) {
        String mine = "";
        try {
            step.take();
        } catch (Exception e) {
            mine = e.getMessage() == null ? e.toString() : e.getMessage();
        }
        StringJoiner all = new StringJoiner("; ");
        List<byte[]> votes = bootstrap.allGather(mine.getBytes(StandardCharsets.UTF_8), deadline);
        for (int r = 0; r < votes.size(); r++) {
            if (votes.get(r).length > 0) {
                all.add("rank " + r + ": " + new String(votes.get(r), StandardCharsets.UTF_8));
            }
        }
        return all.toString();
    }

    List<byte[]> gather(byte[] mine) {
        return bootstrap.allGather(mine, deadline);
    }
}
