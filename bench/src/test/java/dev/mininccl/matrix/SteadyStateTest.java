package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What must not grow: garbage in the steady state, and what a communicator leaves behind. */
@Timeout(120)
class SteadyStateTest {

    private static final int ROUNDS = 500;
    private static final long SLACK = 500;
    private static final int LARGE = 200_000;

    @ParameterizedTest
    @CsvSource({"local, 2", "shm, 2", "shm, 3", "tcp, 2", "tcp, 3"})
    void blockingOperationsAllocateNothing(String transport, int ranks) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Ranks group = new Ranks(ranks, Ranks.over(transport))) {
            List<Long> allocated = group.onAll(comm -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment in = arena.allocate(LARGE * 4L * ranks);
                    MemorySegment out = arena.allocate(LARGE * 4L * ranks);
                    MemorySegment worst = arena.allocate(Long.BYTES);
                    // Code that is not compiled yet allocates: what counts is where it settles, on all ranks.
                    long least = Long.MAX_VALUE;
                    for (int round = 0; round < ROUNDS && least >= SLACK; round++) {
                        long before = threads.getCurrentThreadAllocatedBytes();
                        run(comm, in, out, 500);
                        long mine = threads.getCurrentThreadAllocatedBytes() - before;
                        worst.set(ValueLayout.JAVA_LONG, 0, mine);
                        comm.allReduce(worst, worst, 1, DataType.INT64, ReduceOp.MAX);
                        least = Math.min(least, worst.get(ValueLayout.JAVA_LONG, 0));
                    }
                    return least;
                }
            });
            // Of 3,500 operations. A byte each would be 3,500; the slack is for the counter's own granularity.
            assertThat(allocated).allSatisfy(bytes -> assertThat(bytes).isLessThan(SLACK));
        }
    }

    private static void run(Communicator comm, MemorySegment in, MemorySegment out, int times) {
        for (int i = 0; i < times; i++) {
            comm.allReduce(in, out, 2, DataType.FLOAT32, ReduceOp.SUM);
            comm.allReduce(in, in, 1000, DataType.FLOAT32, ReduceOp.MAX);
            int count = (i & 15) == 0 ? LARGE : 5_000;
            comm.allReduce(in, out, count, DataType.INT32, ReduceOp.SUM);
            comm.allGather(in, out, 2, DataType.FLOAT32);
            comm.allGather(in, out, count, DataType.INT32);
            comm.reduceScatter(in, out, 2, DataType.FLOAT32, ReduceOp.SUM);
            comm.reduceScatter(in, out, count, DataType.INT32, ReduceOp.SUM);
        }
    }

    @Test
    void aThousandCommunicatorsLeaveNothingBehind() throws Exception {
        cycles(20);
        long descriptors = count("/proc/self/fd");
        long mappings = lines("/proc/self/maps");
        long threads = Thread.getAllStackTraces().size();
        long shared = count("/dev/shm");
        cycles(1000);
        assertThat(count("/proc/self/fd")).as("file descriptors").isLessThan(descriptors + 10);
        assertThat(lines("/proc/self/maps")).as("mappings").isLessThan(mappings + 100);
        assertThat(Thread.getAllStackTraces().size()).as("threads").isLessThan((int) threads + 5);
        assertThat(count("/dev/shm")).as("files in /dev/shm").isLessThanOrEqualTo(shared);
    }

    private static void cycles(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            String transport = i % 10 == 0 ? "tcp" : "shm";
            try (Ranks group = new Ranks(2, Ranks.over(transport))) {
                group.onAll(comm -> {
                    AllReduceMatrixTest.check(comm, DataType.FLOAT32, ReduceOp.SUM, 100, true, 0);
                    return null;
                });
            }
        }
    }

    private static long count(String folder) throws Exception {
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.count();
        }
    }

    private static long lines(String file) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.count();
        }
    }
}
