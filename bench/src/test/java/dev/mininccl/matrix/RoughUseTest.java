package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.DataType;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What programs do that nobody had in mind: from callbacks, from other threads, at the wrong moment. */
@Timeout(30)
class RoughUseTest {

    private static final long LATE_MILLIS = 50;

    /** Rank 1 comes late to the first operation, so that on rank 0 at least all callbacks run on the queue's thread. */
    private static Work late(Communicator comm, MemorySegment value) throws InterruptedException {
        Thread.sleep(comm.rank() * LATE_MILLIS);
        return add(comm, value);
    }

    private static Work add(Communicator comm, MemorySegment value) {
        return comm.allReduceAsync(value, value, 1, DataType.INT64, ReduceOp.SUM);
    }

    @Test
    void aCallbackMayCallAndAwait() throws Exception {
        try (Ranks group = new Ranks(2, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment value = arena.allocate(8);
                    value.set(ValueLayout.JAVA_LONG, 0, 1);
                    Work first = late(comm, value);
                    Work second = add(comm, value);
                    CompletableFuture<Void> called = first.thenRun(() -> {
                        comm.allReduce(value, value, 1, DataType.INT64, ReduceOp.SUM);
                        add(comm, value).await();
                    });
                    called.get(10, TimeUnit.SECONDS);
                    assertThat(second).isDone();
                    assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(16);
                }
                return null;
            });
        }
    }

    @Test
    void aCallbackMayInterruptItsThread() throws Exception {
        try (Ranks group = new Ranks(2, Ranks.over("local"))) {
            group.onAll(comm -> {
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment value = arena.allocate(8);
                    late(comm, value)
                            .thenRun(() -> Thread.currentThread().interrupt())
                            .join();
                    // Where it had ended before, the callback ran here.
                    Thread.interrupted();
                    add(comm, value).get(5, TimeUnit.SECONDS);
                }
                return null;
            });
        }
    }

    @Test
    void closingEndsAnAllocationThatNobodyElseMakes() throws Exception {
        Map<String, String> settings = Map.of("MINI_NCCL_TRANSPORT", "shm", "MINI_NCCL_CLOSE_TIMEOUT", "200");
        try (Ranks group = new Ranks(2, settings)) {
            var waiting = group.start(comm -> comm.rank() == 1 ? null : catchThrowable(() -> comm.allocate(1 << 20)));
            Thread.sleep(100);
            long began = System.nanoTime();
            group.comms().getFirst().close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
            assertThat(waiting.getFirst().get(1, TimeUnit.SECONDS))
                    .isInstanceOf(CommunicatorException.class)
                    .hasMessageContaining("closed while an operation was under way");
        }
        assertThat(sharedMappings()).as("half-made windows").isZero();
    }

    @Test
    void closingUnderAsynchronousOperationsLeavesNoMemoryBehind() throws Exception {
        try (Ranks group = new Ranks(2, Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_CLOSE_TIMEOUT", "200"))) {
            MemorySegment window = group.onAll(comm -> comm.allocate(8)).getFirst();
            Communicator comm = group.comms().getFirst();
            List<Work> works = List.of(add(comm, window), add(comm, window));
            comm.close();
            assertThat(window.scope().isAlive()).isFalse();
            assertThat(works).allSatisfy(work -> assertThatThrownBy(work::await).isInstanceOf(NcclException.class));
        }
    }

    @Test
    void aBarrierThatTimesOutBreaksTheCommunicator() throws Exception {
        try (Ranks group = new Ranks(2, Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_TIMEOUT", "200"))) {
            Throwable first = catchThrowable(group.comms().getFirst()::barrier);
            assertThat(first).isInstanceOf(CommunicatorException.class).hasMessageContaining("ranks [1] did not come");
            for (Communicator comm : group.comms()) {
                assertThatThrownBy(comm::barrier).hasMessage(first.getMessage());
                assertThatThrownBy(() -> comm.allocate(1)).hasMessage(first.getMessage());
            }
        }
    }

    @Test
    void twoThreadsOfARankMayMeetTheOthersAtOnce() throws Exception {
        try (Ranks group = new Ranks(2, Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_TIMEOUT", "3000"))) {
            group.onAll(comm -> {
                Runnable meetings = () -> {
                    for (int i = 0; i < 200; i++) {
                        comm.barrier();
                    }
                };
                CompletableFuture<Void> other = CompletableFuture.runAsync(
                        meetings, task -> Thread.ofPlatform().start(task));
                meetings.run();
                other.join();
                return null;
            });
        }
    }

    /** Wherever the stack ends: neither later calls nor other ranks wait for longer than the deadline. */
    @Test
    void aStackOverflowInACallIsAFailureInTime() throws Exception {
        Map<String, String> settings =
                Map.of("MINI_NCCL_TRANSPORT", "local", "MINI_NCCL_TIMEOUT", "300", "MINI_NCCL_CLOSE_TIMEOUT", "100");
        for (int round = 0; round < 2; round++) {
            try (Ranks group = new Ranks(2, settings)) {
                List<CompletableFuture<Throwable>> ends = new ArrayList<>();
                for (Communicator comm : group.comms()) {
                    CompletableFuture<Throwable> end = new CompletableFuture<>();
                    ends.add(end);
                    Runnable rank = () -> end.complete(catchThrowable(() -> callEverDeeper(comm)));
                    Thread thread = new Thread(null, rank, "rank-" + comm.rank(), 256 << 10);
                    thread.setDaemon(true);
                    thread.start();
                }
                for (CompletableFuture<Throwable> end : ends) {
                    assertThat(end.get(5, TimeUnit.SECONDS)).isInstanceOf(NcclException.class);
                }
            }
        }
    }

    private static void callEverDeeper(Communicator comm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8);
            Runnable call = () -> comm.allReduce(value, value, 1, DataType.INT64, ReduceOp.MAX);
            try {
                for (int depth = 0; comm.rank() == 0; depth += 7) {
                    dive(depth, call);
                }
            } catch (StackOverflowError e) {
                // As intended; where it came before anything was done, all goes on.
                for (int i = 0; i < 100; i++) {
                    call.run();
                }
                comm.abort("enough of it");
            }
            while (true) {
                call.run();
            }
        }
    }

    private static void dive(int depth, Runnable call) {
        if (depth == 0) {
            call.run();
        } else {
            dive(depth - 1, call);
        }
    }

    @Test
    void oneReasonWinsWhenAllAbortAtOnce() throws Exception {
        for (int round = 0; round < 30; round++) {
            try (Ranks group = new Ranks(4, Ranks.over("local"))) {
                CyclicBarrier start = new CyclicBarrier(4);
                List<String> reasons = group.onAll(comm -> {
                    start.await();
                    comm.abort("says rank " + comm.rank());
                    try {
                        comm.barrier();
                        return "none";
                    } catch (NcclException e) {
                        return e.getMessage();
                    }
                });
                assertThat(reasons).containsOnly(reasons.getFirst());
                assertThat(reasons.getFirst()).contains("aborted the communicator: says rank");
            }
        }
    }

    private static long sharedMappings() throws Exception {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("/mini-nccl-")).count();
        }
    }
}
