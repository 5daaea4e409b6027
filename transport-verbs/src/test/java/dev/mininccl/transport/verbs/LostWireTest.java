package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorException;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two ranks under Hera lose their wire within an all-reduce: each must be told within the deadline and a tenth. Only in the
 * guest. Run first of all in its JVM: what tells them then runs for the first time, as it does where it counts.
 */
@Timeout(120)
class LostWireTest {

    private static final Duration DEADLINE = Duration.ofSeconds(3);
    private static final Duration LATEST = DEADLINE.plus(DEADLINE.dividedBy(10));
    private static final int COUNT = 16384;
    private static final int BEFORE = 50;

    /** Operations of each rank until the wire goes. */
    private final CountDownLatch going = new CountDownLatch(2 * BEFORE);

    @BeforeEach
    void wire() {
        Wire.assume();
    }

    @AfterEach
    void repair() {
        Wire.repair();
    }

    @Test
    void bothRanksAreToldInTime() throws Exception {
        int port = freePort();
        List<CompletableFuture<Told>> ranks = IntStream.range(0, 2)
                .mapToObj(rank -> CompletableFuture.supplyAsync(
                        () -> reduceUntilTold(rank, port),
                        task -> Thread.ofPlatform().start(task)))
                .toList();
        going.await();
        Wire.lose();
        for (CompletableFuture<Told> rank : ranks) {
            Told told = rank.join();
            System.out.println("told after " + told.after.toMillis() + " ms: " + told.what);
            assertThat(told.after).isBetween(DEADLINE, LATEST);
            assertThat(told.what).contains("all_reduce of 16384 float, sum", "stood still for 3000 ms");
        }
    }

    /** What a rank was told, and how long after its last operation that succeeded, which needed the wire. */
    private record Told(Duration after, String what) {}

    private Told reduceUntilTold(int rank, int port) {
        CommunicatorOptions options = CommunicatorOptions.builder()
                .rank(rank)
                .size(2)
                .master("127.0.0.1", port)
                .set("MINI_NCCL_TRANSPORT", "verbs")
                .set("MINI_NCCL_NET_DEVICE", "rxe" + rank)
                .set("MINI_NCCL_TIMEOUT", Long.toString(DEADLINE.toMillis()))
                .build();
        try (Communicator comm = Communicator.join(options);
                Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate((long) COUNT * Float.BYTES, 128);
            long last = System.nanoTime();
            try {
                for (; ; ) {
                    comm.allReduce(memory, memory, COUNT, DataType.FLOAT32, ReduceOp.SUM);
                    last = System.nanoTime();
                    going.countDown();
                }
            } catch (CommunicatorException e) {
                return new Told(Duration.ofNanos(System.nanoTime() - last), e.getMessage());
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
