package dev.mininccl.hera;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whole communicators over Hera. */
@Timeout(60)
class HeraCommunicatorTest {

    private static List<Communicator> join(int size) throws Exception {
        int port = Workers.freePort();
        return Workers.together(IntStream.range(0, size)
                .<Callable<Communicator>>mapToObj(rank -> () -> Communicator.join(CommunicatorOptions.builder()
                        .rank(rank)
                        .size(size)
                        .master("127.0.0.1", port)
                        .build()))
                .toList());
    }

    private static long sum(Communicator comm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocate(ValueLayout.JAVA_LONG);
            one.set(ValueLayout.JAVA_LONG, 0, comm.rank() + 1);
            comm.allReduce(one, one, 1, DataType.INT64, ReduceOp.SUM);
            return one.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    @Test
    void whoCallsOnAfterAnotherHasLeftIsToldSoonAndClearly() throws Exception {
        List<Communicator> ranks = join(3);
        assertThat(Workers.together(ranks.stream()
                        .<Callable<Long>>map(comm -> () -> sum(comm))
                        .toList()))
                .containsExactly(6L, 6L, 6L);
        ranks.get(1).close();
        long start = System.nanoTime();
        assertThatThrownBy(() -> sum(ranks.get(0)))
                .isInstanceOf(CommunicatorException.class)
                .hasMessageContaining(
                        "rank 1 closed its communicator, but rank 0 waits in operation #2 (all_reduce of 1 ");
        System.out.printf("a rank that had left was missed after %d ms%n", (System.nanoTime() - start) / 1_000_000);
        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
        assertThatThrownBy(() -> sum(ranks.get(2))).hasMessageContaining("rank 1 closed its communicator");
        ranks.forEach(Communicator::close);
    }
}
