package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncTest {

    @Test
    void asynchronousAndBlockingCallsKeepTheirOrder() throws Exception {
        try (Ranks group = new Ranks(3, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment value = arena.allocate(8);
                    value.set(ValueLayout.JAVA_LONG, 0, 1);
                    List<Work> works = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        works.add(comm.allReduceAsync(value, value, 1, DataType.INT64, ReduceOp.SUM));
                    }
                    comm.allReduce(value, value, 1, DataType.INT64, ReduceOp.SUM);
                    assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo((long) Math.pow(3, 11));
                    assertThat(works).allMatch(Work::isDone);
                    works.getLast().await();
                    works.getFirst().thenRun(() -> {}).get();
                }
                return null;
            });
        }
    }

    @Test
    void allKindsKeepTheirOrder() throws Exception {
        try (Ranks group = new Ranks(3, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment all = arena.allocate(ValueLayout.JAVA_INT, 3);
                    MemorySegment mine = all.asSlice(4L * comm.rank(), 4);
                    mine.set(ValueLayout.JAVA_INT, 0, comm.rank() + 1);
                    List<Work> works = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        works.add(comm.allGatherAsync(mine, all, 1, DataType.INT32));
                        works.add(comm.reduceScatterAsync(all, mine, 1, DataType.INT32, ReduceOp.SUM));
                    }
                    works.getLast().await();
                    assertThat(works).allMatch(Work::isDone);
                    // Everyone has everyone's value, so each round is a multiplication by three.
                    assertThat(mine.get(ValueLayout.JAVA_INT, 0)).isEqualTo((comm.rank() + 1) * 243);
                }
                return null;
            });
        }
    }
}
