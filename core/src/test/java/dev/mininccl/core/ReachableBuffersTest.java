package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A blocking call keeps automatic arenas whose segments the caller names nowhere else. Only compiled code lets go of a variable
 * before its end, so that the call is made often first.
 */
@Timeout(120)
class ReachableBuffersTest {

    private static final int UNTIL_COMPILED = 60_000;

    private volatile WeakReference<MemorySegment.Scope> scope;

    @Test
    void theCollectorLeavesTheBuffersOfACallUnderWay() throws Exception {
        List<Communicator> ranks = Communicator.local(2, Map.of("MINI_NCCL_TRANSPORT", "local"));
        try {
            CompletableFuture<Boolean> kept = CompletableFuture.supplyAsync(() -> {
                MemorySegment own = Arena.ofAuto().allocate(64);
                for (int i = 0; i < UNTIL_COMPILED; i++) {
                    sum(ranks.getLast(), own);
                }
                awaitCollection();
                boolean alive = scope.get() != null;
                sum(ranks.getLast(), own);
                return alive;
            });
            for (int i = 0; i <= UNTIL_COMPILED; i++) {
                sumOfFreshMemory(ranks.getFirst());
            }
            assertThat(kept.get())
                    .as("the memory is still there during the call")
                    .isTrue();
        } finally {
            ranks.forEach(Communicator::close);
        }
    }

    private void sumOfFreshMemory(Communicator comm) {
        MemorySegment memory = Arena.ofAuto().allocate(64);
        scope = new WeakReference<>(memory.scope());
        sum(comm, memory);
    }

    private static void sum(Communicator comm, MemorySegment memory) {
        comm.allReduce(memory, memory, 16, DataType.FLOAT32, ReduceOp.SUM);
    }

    /** Gives the other rank time to be in its call, and the collector to do what it may. */
    private static void awaitCollection() {
        try {
            Thread.sleep(300);
            for (int i = 0; i < 3; i++) {
                System.gc();
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
