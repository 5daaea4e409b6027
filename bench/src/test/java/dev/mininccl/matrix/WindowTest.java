package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that the communicator hands out. */
@Timeout(60)
class WindowTest {

    @ParameterizedTest
    @CsvSource({"local, 2", "local, 3", "shm, 2", "shm, 3", "shm, 4", "tcp, 2"})
    void registeredAndOtherBuffersMix(String transport, int ranks) throws Exception {
        try (Ranks group = new Ranks(ranks, Ranks.over(transport))) {
            group.onAll(comm -> {
                MemorySegment a = comm.allocate(1 << 20);
                MemorySegment b = comm.allocate((1 << 20) + 4096L * comm.rank());
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment plain = arena.allocate(1 << 20);
                    for (DataType type : DataType.values()) {
                        for (long count : new long[] {1, 600, 1001, 100_003}) {
                            reduce(comm, type, a, b, count);
                            reduce(comm, type, a, a, count);
                            reduce(comm, type, a.asSlice(128), b.asSlice(64L * (comm.rank() + 1)), count);
                            // One rank without registered memory: all fall back together.
                            reduce(comm, type, comm.rank() == 0 ? plain : a, b, count);
                        }
                    }
                }
                return null;
            });
        }
    }

    private static void reduce(Communicator comm, DataType type, MemorySegment in, MemorySegment out, long count) {
        for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.AVG, ReduceOp.MIN}) {
            for (long i = 0; i < count; i++) {
                Elements.put(in, type, i, Elements.input(type, op, comm.rank(), i));
            }
            comm.allReduce(in, out, count, type, op);
            for (long i = 0; i < count; i++) {
                double expected = Elements.expected(type, op, comm.size(), i);
                if (Elements.get(out, type, i) != expected) {
                    throw new AssertionError(type + " " + op + " of " + count + ", element " + i + ": "
                            + Elements.get(out, type, i) + ", expected " + expected);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"local, 2", "local, 3", "shm, 2", "shm, 4", "tcp, 2"})
    void partsAreReadFromRegisteredInputs(String transport, int ranks) throws Exception {
        try (Ranks group = new Ranks(ranks, Ranks.over(transport))) {
            group.onAll(comm -> {
                MemorySegment a = comm.allocate(1 << 20);
                MemorySegment b = comm.allocate(1 << 20);
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment plain = arena.allocate(1 << 20);
                    for (long count : new long[] {1, 600, 30_001}) {
                        for (int round = 0; round < 3; round++) {
                            parts(comm, a, b, count);
                            parts(comm, a, plain, count);
                            parts(comm, comm.rank() == 0 ? plain : a, b, count);
                            long mine = 4 * count * comm.rank();
                            parts(comm, a, a.asSlice(mine, 4 * count), a.asSlice(mine, 4 * count), a, count);
                        }
                    }
                }
                return null;
            });
        }
    }

    private static void parts(Communicator comm, MemorySegment in, MemorySegment out, long count) {
        parts(comm, in, out, in, out, count);
    }

    /** A sum of parts, scattered to {@code part} and gathered again from {@code send} to {@code all}. */
    private static void parts(
            Communicator comm,
            MemorySegment in,
            MemorySegment part,
            MemorySegment send,
            MemorySegment all,
            long count) {
        int ranks = comm.size();
        for (long i = 0; i < count * ranks; i++) {
            Elements.put(in, DataType.INT32, i, (int) i * (comm.rank() + 1));
        }
        comm.reduceScatter(in, part, count, DataType.INT32, ReduceOp.SUM);
        int factor = ranks * (ranks + 1) / 2;
        for (long i = 0; i < count; i++) {
            int expected = factor * (int) (comm.rank() * count + i);
            assertThat((int) Elements.get(part, DataType.INT32, i)).isEqualTo(expected);
            Elements.put(send, DataType.INT32, i, expected);
        }
        comm.allGather(send, all, count, DataType.INT32);
        for (long i = 0; i < count * ranks; i++) {
            assertThat((int) Elements.get(all, DataType.INT32, i)).isEqualTo(factor * (int) i);
        }
    }

    @Test
    void memoryEndsWithItsCommunicator() throws Exception {
        MemorySegment memory;
        try (Ranks group = new Ranks(2, Ranks.over("shm"))) {
            memory = group.onAll(comm -> comm.allocate(100)).getFirst();
            assertThat(memory.byteSize()).isEqualTo(100);
            assertThatThrownBy(() -> group.comms().getFirst().allocate(0))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("bytes 0");
        }
        assertThat(memory.scope().isAlive()).isFalse();
    }
}
