package dev.mininccl.core.gpu;

import dev.mininccl.core.spi.AbortReason;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The engines of one communicator that live in this process. One that leaves tells the others before it frees anything: freeing waits
 * for all kernels of a device, and theirs may be waiting for it.
 */
final class Mates {
    private static final Map<Long, StopReasons> PRESENT = new ConcurrentHashMap<>();

    private final List<Long> tokens;
    private final long own;

    private Mates(List<Long> tokens, long own) {
        this.tokens = tokens;
        this.own = own;
    }

    /** All ranks call it. */
    static Mates meet(Voting voting, int rank) {
        byte[] mine = ByteBuffer.allocate(Long.BYTES)
                .putLong(new SecureRandom().nextLong())
                .array();
        List<Long> tokens = voting.gather(mine).stream()
                .map(token -> ByteBuffer.wrap(token).getLong())
                .toList();
        return new Mates(tokens, tokens.get(rank));
    }

    /** From now on the others can tell this engine. */
    void join(StopReasons reasons) {
        PRESENT.put(own, reasons);
    }

    /** Nobody can tell it anything any more. */
    void leave() {
        PRESENT.remove(own);
    }

    /** Stops the others of this process. */
    void tell(AbortReason reason) {
        for (long token : tokens) {
            StopReasons mate = token == own ? null : PRESENT.get(token);
            if (mate != null) {
                mate.abort(reason);
            }
        }
    }
}
