package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller does wrong is told to him alone, by name, and costs nothing. */
@Timeout(60)
class MisuseTest {

    private static final Map<String, String> LOCAL =
            Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_TIMEOUT", "20000");

    private final MemorySegment memory = Arena.ofAuto().allocate(64);

    @Test
    void missingArgumentsAreNamed() {
        refused("options null: must be given", () -> Communicator.join(null));
        refused("settings null: must be given", () -> Communicator.local(2, null));
        CommunicatorOptions.Builder builder = CommunicatorOptions.builder().size(2);
        refused("variable null: must be given", () -> builder.set(null, "1"));
        refused("value null: must be given", () -> builder.set("MINI_NCCL_SLOTS", null));
        refused("type null: must be FLOAT8E4M3", () -> Float8.toFloat(null, (byte) 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "0.0.0.0", "::"})
    void theMasterNeedsAnAddressThatRanksReach(String host) {
        refused(
                "masterHost " + host + ": must be a name or address at which ranks reach the master",
                CommunicatorOptions.builder().size(2).master(host, 9999)::build);
    }

    @Test
    void aBadSettingIsRefusedTheSameWayOnWhicheverRankItIsFoundFirst() {
        for (int i = 0; i < 20; i++) {
            refused(
                    "MINI_NCCL_ALGORITHM=foo: must be auto, one-shot, two-shot or ring",
                    () -> Communicator.local(3, Map.of("MINI_NCCL_ALGORITHM", "foo")));
        }
    }

    @Test
    void wrongMemoryIsRefusedAndTheCommunicatorGoesOn() throws Exception {
        try (Pair pair = new Pair()) {
            Communicator comm = pair.ranks().getFirst();
            refused("in is a heap segment of 16 bytes", () -> sum(comm, MemorySegment.ofArray(new float[4]), memory));
            refused("out: is read-only", () -> sum(comm, memory, memory.asReadOnly()));
            refused("out of 8 bytes: must hold at least 16 bytes", () -> sum(comm, memory, memory.asSlice(0, 8)));
            int sum = ReduceOp.SUM.code();
            int type = DataType.FLOAT32.code();
            long address = memory.address();
            refused("in is address 0: must be that of 16 bytes", () -> comm.allReduce(0, address, 4, type, sum));
            refused("out is address 0", () -> comm.allReduce(address, 0, 4, type, sum));
            refused("send is address 0", () -> comm.allGather(0, address, 4, type));
            refused("recv is address 0: must be that of 16 bytes", () -> comm.reduceScatter(address, 0, 4, type, sum));
            pair.sumOnAll();
        }
    }

    @Test
    void nothingButTheOperationEndsItsWork() throws Exception {
        try (Pair pair = new Pair()) {
            Work work = async(pair.ranks().getFirst());
            assertThat(work.cancel(true)).isFalse();
            assertThat(work.complete(null)).isFalse();
            assertThat(work.completeExceptionally(new IllegalStateException())).isFalse();
            assertThatThrownBy(work.orTimeout(1, TimeUnit.MILLISECONDS)::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(TimeoutException.class);
            work.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS).join();
            assertThatThrownBy(() -> work.obtrudeValue(null)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> work.completeAsync(() -> null)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(work).isNotDone();
            async(pair.ranks().getLast()).await();
            assertThat(work.await(java.time.Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
        }
    }

    @Test
    void aCompletionMayClose() throws Exception {
        try (Pair pair = new Pair()) {
            List<CompletableFuture<Void>> closed = new ArrayList<>();
            for (Communicator comm : pair.ranks()) {
                closed.add(async(comm).thenRun(comm::close));
            }
            for (CompletableFuture<Void> future : closed) {
                future.get(1, TimeUnit.SECONDS); // closing waits up to 2 s where something is under way
            }
        }
    }

    @Test
    void anInterruptedBarrierBreaksTheCommunicatorForAll() throws Exception {
        try (Pair pair = new Pair()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(pair.ranks().getFirst()::barrier)
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessage("rank 0 was interrupted during an exchange with all ranks");
            assertThat(Thread.interrupted()).isTrue();
            assertThatThrownBy(() -> sum(pair.ranks().getLast(), memory, memory))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessage("rank 0 was interrupted during an exchange with all ranks");
        }
    }

    private static void refused(String message, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(InvalidCallException.class).hasMessageStartingWith(message);
    }

    private static void sum(Communicator comm, MemorySegment in, MemorySegment out) {
        comm.allReduce(in, out, 4, DataType.FLOAT32, ReduceOp.SUM);
    }

    private Work async(Communicator comm) {
        MemorySegment own = Arena.ofAuto().allocate(ValueLayout.JAVA_FLOAT, 4);
        return comm.allReduceAsync(own, own, 4, DataType.FLOAT32, ReduceOp.SUM);
    }

    /** Two ranks in this process. */
    private record Pair(List<Communicator> ranks) implements AutoCloseable {

        Pair() {
            this(Communicator.local(2, LOCAL));
        }

        void sumOnAll() throws Exception {
            List<Work> works = new ArrayList<>();
            List<MemorySegment> values = new ArrayList<>();
            for (Communicator comm : ranks) {
                MemorySegment value = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4);
                values.add(value);
                works.add(comm.allReduceAsync(value, value, 4, DataType.FLOAT32, ReduceOp.SUM));
            }
            works.forEach(Work::await);
            assertThat(values)
                    .allSatisfy(value -> assertThat(value.getAtIndex(ValueLayout.JAVA_FLOAT, 3))
                            .isEqualTo(8));
        }

        @Override
        public void close() {
            ranks.forEach(Communicator::close);
        }
    }
}
