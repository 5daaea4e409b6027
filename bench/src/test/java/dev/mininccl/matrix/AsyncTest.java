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
}
