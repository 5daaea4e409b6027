package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More elements than an int counts. */
@Timeout(120)
class LargeCountTest {

    private static final long COUNT = (1L << 31) + 12_345;

    @ParameterizedTest
    @ValueSource(strings = {"local"})
    void countsBeyondTwoToTheThirtyFirst(String transport) throws Exception {
        try (Ranks group = new Ranks(2, Ranks.over(transport))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment memory = arena.allocate(COUNT);
                    memory.fill((byte) 3);
                    memory.set(ValueLayout.JAVA_BYTE, COUNT - 1, (byte) (comm.rank() + 1));
                    comm.allReduce(memory, memory, COUNT, DataType.INT8, ReduceOp.SUM);
                    for (long i = 0; i < COUNT - 1; i += 4097) {
                        assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) 6);
                    }
                    assertThat(memory.get(ValueLayout.JAVA_BYTE, COUNT - 2)).isEqualTo((byte) 6);
                    assertThat(memory.get(ValueLayout.JAVA_BYTE, COUNT - 1)).isEqualTo((byte) 3);
                }
                return null;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local"})
    void partsThatTogetherAreBeyond(String transport) throws Exception {
        long count = (1L << 30) + 12_345;
        try (Ranks group = new Ranks(2, Ranks.over(transport))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment memory = arena.allocate(2 * count);
                    MemorySegment mine = memory.asSlice(comm.rank() * count, count);
                    mine.fill((byte) (comm.rank() + 1));
                    comm.allGather(mine, memory, count, DataType.INT8);
                    comm.reduceScatter(memory, mine, count, DataType.INT8, ReduceOp.SUM);
                    int other = 1 - comm.rank();
                    for (long i = 0; i < count; i += 4097) {
                        assertThat(mine.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) (2 * comm.rank() + 2));
                        assertThat(memory.get(ValueLayout.JAVA_BYTE, other * count + i))
                                .isEqualTo((byte) (other + 1));
                    }
                    assertThat(mine.get(ValueLayout.JAVA_BYTE, count - 1)).isEqualTo((byte) (2 * comm.rank() + 2));
                }
                return null;
            });
        }
    }
}
