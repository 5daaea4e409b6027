package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.InvalidCallException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.ResultCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong is an exception on every rank, in time, that says who and how. */
@Timeout(60)
class FailureTest {

    @ParameterizedTest
    @ValueSource(strings = {"local", "shm", "tcp"})
    void aDifferentCountIsNamedOnAllRanks(String transport) throws Exception {
        try (Ranks group = new Ranks(4, Ranks.over(transport));
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 20);
            long began = System.nanoTime();
            List<Throwable> thrown = group.onAll(comm -> catchThrowable(() -> {
                comm.allReduce(
                        memory.asSlice(0, 4096), memory.asSlice(8192, 4096), 1000, DataType.FLOAT32, ReduceOp.SUM);
                comm.allReduce(
                        memory.asSlice(0, 4096),
                        memory.asSlice(8192, 4096),
                        comm.rank() == 2 ? 500 : 1000,
                        comm.rank() == 2 ? DataType.FLOAT16 : DataType.FLOAT32,
                        ReduceOp.SUM);
            }));
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            assertThat(thrown)
                    .allSatisfy(e -> assertThat(e)
                            .isInstanceOf(CommunicatorException.class)
                            .hasMessageContaining("operation #2")
                            .hasMessageContaining("ranks 0, 1, 3 called all_reduce of 1000 float, sum")
                            .hasMessageContaining("rank 2 called all_reduce of 500 half, sum"))
                    .allSatisfy(
                            e -> assertThat(((CommunicatorException) e).code()).isEqualTo(ResultCode.INVALID_USAGE));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "shm", "tcp"})
    void aRankThatStaysAwayIsATimeout(String transport) throws Exception {
        Map<String, String> settings = new HashMap<>(Ranks.over(transport));
        settings.put("MINI_NCCL_TIMEOUT", "300");
        try (Ranks group = new Ranks(2, settings);
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1024);
            List<Throwable> thrown = group.onAll(comm -> comm.rank() == 1
                    ? null
                    : catchThrowable(() -> comm.allReduce(memory, memory, 10, DataType.INT32, ReduceOp.MAX)));
            assertThat(thrown.getFirst())
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("waiting for rank 1")
                    .hasMessageContaining("300 ms");
            // The rank that stayed away hears of it, and the communicator stays broken.
            assertThatThrownBy(() -> group.comms().get(1).allReduce(memory, memory, 10, DataType.INT32, ReduceOp.MAX))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("waiting for rank 1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "shm", "tcp"})
    void anotherCollectiveIsNamedOnAllRanks(String transport) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 20);
            MemorySegment out = arena.allocate(1 << 20);
            List<Ranks.Action<Void>> others = List.of(
                    comm -> done(() -> comm.reduceScatter(memory, out, 1000, DataType.FLOAT32, ReduceOp.SUM)),
                    comm -> done(() -> comm.allReduce(memory, out, 1000, DataType.FLOAT32, ReduceOp.SUM)),
                    comm -> done(() -> comm.allGather(memory, out, 999, DataType.FLOAT32)),
                    comm -> done(() -> comm.allGather(memory, out, 1000, DataType.INT32)));
            List<String> called = List.of(
                    "reduce_scatter of 1000 float, sum",
                    "all_reduce of 1000 float, sum",
                    "all_gather of 999 float",
                    "all_gather of 1000 int32");
            for (int i = 0; i < others.size(); i++) {
                Ranks.Action<Void> other = others.get(i);
                try (Ranks group = new Ranks(3, Ranks.over(transport))) {
                    List<Throwable> thrown = group.onAll(comm -> catchThrowable(() -> {
                        if (comm.rank() == 1) {
                            other.run(comm);
                        } else {
                            comm.allGather(memory, out, 1000, DataType.FLOAT32);
                        }
                    }));
                    String different = "rank 1 called " + called.get(i);
                    assertThat(thrown)
                            .allSatisfy(e -> assertThat(e)
                                    .isInstanceOf(CommunicatorException.class)
                                    .hasMessageContaining("ranks 0, 2 called all_gather of 1000 float")
                                    .hasMessageContaining(different));
                }
            }
        }
    }

    private static Void done(Runnable action) {
        action.run();
        return null;
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "shm", "tcp"})
    void anAbortEndsThePartsToo(String transport) throws Exception {
        try (Ranks group = new Ranks(3, Ranks.over(transport));
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 20);
            MemorySegment out = arena.allocate(1 << 20);
            List<Throwable> thrown = group.onAll(comm -> catchThrowable(() -> {
                switch (comm.rank()) {
                    case 0 -> comm.allGather(memory, out, 1000, DataType.FLOAT32);
                    case 1 ->
                        comm.reduceScatterAsync(memory, out, 1000, DataType.FLOAT32, ReduceOp.SUM)
                                .await();
                    default -> {
                        Thread.sleep(50);
                        comm.abort("the test says so");
                    }
                }
            }));
            assertThat(thrown.get(0)).isInstanceOf(CommunicatorException.class);
            assertThat(thrown.get(1)).isInstanceOf(CommunicatorException.class);
        }
    }

    @Test
    void badPartsAreRefusedAndNothingIsLost() throws Exception {
        try (Ranks group = new Ranks(2, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment part = arena.allocate(4000);
                    MemorySegment whole = arena.allocate(8000);
                    long most = Long.MAX_VALUE / 16;
                    badGather(comm, null, whole, 1000, "send null");
                    badGather(comm, part, null, 1000, "recv null");
                    badGather(comm, part, whole, -1, "sendCount -1: must be 0 to " + most);
                    badGather(comm, part, whole, most + 1, "sendCount " + (most + 1) + ": must be 0 to " + most);
                    badGather(comm, part.asSlice(0, 3999), whole, 1000, "send of 3999 bytes: must hold at least 4000");
                    badGather(comm, part, part, 1000, "recv of 4000 bytes: must hold at least 8000");
                    badGather(comm, part, whole.asReadOnly(), 1000, "recv: is read-only");
                    badGather(comm, whole.asSlice(2000, 4000), whole, 1000, "send lies in recv, 2000 bytes after");
                    badGather(comm, whole.asSlice(4000 - 4000L * comm.rank()), whole, 1000, "send");
                    badScatter(comm, whole, null, 1000, "recv null");
                    badScatter(comm, part, part, 1000, "send of 4000 bytes: must hold at least 8000");
                    badScatter(comm, whole, part, most + 1, "recvCount " + (most + 1));
                    badScatter(comm, whole, part.asReadOnly(), 1000, "recv: is read-only");
                    badScatter(comm, whole, whole.asSlice(2000, 4000), 1000, "recv lies in send, 2000 bytes after");
                    assertThatThrownBy(() -> comm.reduceScatter(whole, part, 1, DataType.INT8, null))
                            .hasMessageContaining("op null");
                    assertThatThrownBy(() -> comm.allGather(part, whole, 1, null))
                            .hasMessageContaining("type null");
                    assertThatThrownBy(() -> comm.allGather(0L, 1 << 20, 1, 99)).hasMessageContaining("data type 99");
                    GatherScatterMatrixTest.allGather(comm, DataType.FLOAT32, 1000, false, 0);
                    GatherScatterMatrixTest.reduceScatter(comm, DataType.FLOAT32, ReduceOp.SUM, 1000, false, 0);
                }
                return null;
            });
        }
    }

    private static void badGather(
            Communicator comm, MemorySegment send, MemorySegment recv, long count, String message) {
        assertThatThrownBy(() -> comm.allGather(send, recv, count, DataType.FLOAT32))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> comm.allGatherAsync(send, recv, count, DataType.FLOAT32))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
    }

    private static void badScatter(
            Communicator comm, MemorySegment send, MemorySegment recv, long count, String message) {
        assertThatThrownBy(() -> comm.reduceScatter(send, recv, count, DataType.FLOAT32, ReduceOp.SUM))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> comm.reduceScatterAsync(send, recv, count, DataType.FLOAT32, ReduceOp.SUM))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aBadCallIsRefusedAndNothingIsLost() throws Exception {
        try (Ranks group = new Ranks(2, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    refusals(comm, arena);
                    AllReduceMatrixTest.check(comm, DataType.FLOAT32, ReduceOp.SUM, 1000, false, 0);
                }
                return null;
            });
        }
    }

    private static void refusals(Communicator comm, Arena arena) {
        MemorySegment good = arena.allocate(4000);
        Arena ended = Arena.ofConfined();
        MemorySegment closed = ended.allocate(4000);
        ended.close();
        refused(comm, good, good, -1, "count -1");
        refused(comm, good, good, Long.MAX_VALUE, "count " + Long.MAX_VALUE);
        refused(comm, null, good, 1000, "in null");
        refused(comm, good.asSlice(0, 3999), good, 1000, "in of 3999 bytes: must hold at least 4000");
        refused(comm, good, MemorySegment.ofArray(new float[1000]), 1000, "out");
        refused(comm, good, closed, 1000, "arena is closed");
        refused(comm, good, good.asReadOnly(), 1000, "read-only");
        refused(comm, good.asSlice(0, 2000), good.asSlice(1000, 2000), 500, "overlaps");
        assertThatThrownBy(() -> comm.allReduce(good, good, 1, null, ReduceOp.SUM))
                .hasMessageContaining("type null");
        assertThatThrownBy(() -> comm.allReduce(good, good, 1, DataType.INT8, null))
                .hasMessageContaining("op null");
        assertThatThrownBy(() -> comm.allReduce(0L, 0L, 1, 99, 0)).hasMessageContaining("data type 99");
    }

    private static void refused(Communicator comm, MemorySegment in, MemorySegment out, long count, String message) {
        assertThatThrownBy(() -> comm.allReduce(in, out, count, DataType.FLOAT32, ReduceOp.SUM))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aClosedCommunicatorSaysSo() {
        Ranks group = new Ranks(2, Ranks.over("local"));
        group.close();
        group.close();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(16);
            assertThatThrownBy(() -> group.comms().getFirst().allReduce(memory, memory, 1, DataType.INT8, ReduceOp.SUM))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void closingUnderAnOperationEndsItEverywhere() throws Exception {
        try (Ranks group = new Ranks(2, Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_CLOSE_TIMEOUT", "200"));
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(16);
            var waiting = group.start(comm -> comm.rank() == 1
                    ? null
                    : catchThrowable(() -> comm.allReduce(memory, memory, 1, DataType.INT8, ReduceOp.SUM)));
            Thread.sleep(100);
            group.comms().getFirst().close();
            assertThat(waiting.getFirst().get()).hasMessageContaining("closed while an operation was under way");
        }
    }
}
