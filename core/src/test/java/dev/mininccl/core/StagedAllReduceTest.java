package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.gpu.HostRelay;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ranks whose data passes through staging memory, as that of GPUs does, among ranks for which it does not. The kernel's part is played by
 * {@link HostRelay}; what must come out, to the bit, is what the same communicator makes of host memory.
 */
@Timeout(180)
class StagedAllReduceTest {

    private static final int SLICE = 4096;

    static Stream<Arguments> groups() {
        List<Arguments> cases = new ArrayList<>();
        for (String transport : new String[] {"local", "tcp"}) {
            for (String algorithm : new String[] {"auto", "one-shot", "two-shot", "ring"}) {
                cases.add(Arguments.of(transport, algorithm, "01", 1));
                cases.add(Arguments.of(transport, algorithm, "11", 3));
                cases.add(Arguments.of(transport, algorithm, "0110", 1));
                cases.add(Arguments.of(transport, algorithm, "101", 2));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("groups")
    void comesToTheSameAsHostMemory(String transport, String algorithm, String staged, int channels) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        try (Group group = new Group(staged, settings(transport, algorithm, channels, 1 << 20), seed)) {
            group.onAll((rank, random) -> {
                for (DataType type : DataType.values()) {
                    for (ReduceOp op : ReduceOp.values()) {
                        int slice = SLICE / type.bytes();
                        long[] counts = {0, 1, 7, slice - 1L, slice + 1L, 11L * slice + 3};
                        for (int i = 0; i < counts.length; i++) {
                            rank.check(type, op, counts[i], (i + op.code()) % 2 == 0, random);
                        }
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("groups")
    void segmentsAndSharesFollowEachOther(String transport, String algorithm, String staged, int channels)
            throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        try (Group group = new Group(staged, settings(transport, algorithm, channels, 4 << 20), seed)) {
            group.onAll((rank, random) -> {
                // A segment holds 2 MiB; the counts are the same on all ranks, the pieces are not.
                long[] bytes = {1 << 21, (1 << 21) + 4, 5_000_004, 12, 3 << 21, 1_600_000, 6_400_020};
                for (long size : bytes) {
                    rank.check(DataType.FLOAT32, ReduceOp.SUM, size / 4, size % 8 == 0, random);
                }
            });
        }
    }

    @Test
    void sumsAreSums() throws Exception {
        try (Group group = new Group("10", settings("tcp", "auto", 1, 1 << 20), 1)) {
            group.onAll((rank, random) -> {
                int count = 1_000_003;
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT, count);
                    for (int i = 0; i < count; i++) {
                        memory.setAtIndex(ValueLayout.JAVA_INT, i, i * (rank.comm.rank() + 1));
                    }
                    rank.allReduce(memory, memory, count, DataType.INT32, ReduceOp.SUM);
                    for (int i = 0; i < count; i++) {
                        assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, i)).isEqualTo(3 * i);
                    }
                }
            });
        }
    }

    @Test
    void disagreementIsTold() throws Exception {
        try (Group group = new Group("10", settings("tcp", "auto", 1, 1 << 20), 1)) {
            assertThatThrownBy(() -> group.onAll((rank, random) -> {
                        try (Arena arena = Arena.ofShared()) {
                            MemorySegment memory = arena.allocate(4096, 64);
                            rank.allReduce(memory, memory, 100 + rank.comm.rank(), DataType.INT32, ReduceOp.SUM);
                        }
                    }))
                    .hasStackTraceContaining("all_reduce of 100 int32, sum")
                    .hasStackTraceContaining("all_reduce of 101 int32, sum");
        }
    }

    @Test
    void anAbortEndsIt() throws Exception {
        try (Group group = new Group("10", settings("tcp", "auto", 1, 1 << 20), 1)) {
            assertThatThrownBy(() -> group.onAll((rank, random) -> {
                        if (rank.comm.rank() == 1) {
                            Thread.sleep(50);
                            rank.comm.abort("the test says so");
                            return;
                        }
                        try (Arena arena = Arena.ofShared()) {
                            MemorySegment memory = arena.allocate(4096, 64);
                            rank.allReduce(memory, memory, 100, DataType.INT32, ReduceOp.SUM);
                        }
                    }))
                    .hasStackTraceContaining("the test says so");
        }
    }

    private static Map<String, String> settings(String transport, String algorithm, int channels, int staging) {
        return Map.of(
                "MINI_NCCL_TRANSPORT",
                transport,
                "MINI_NCCL_ALGORITHM",
                algorithm,
                "MINI_NCCL_CHANNELS",
                Integer.toString(channels),
                "MINI_NCCL_SLICE_SIZE",
                Integer.toString(SLICE),
                "MINI_NCCL_STAGING",
                Integer.toString(staging),
                "MINI_NCCL_TIMEOUT",
                "20000");
    }

    @FunctionalInterface
    private interface Body {
        void run(Rank rank, Random random) throws Exception;
    }

    /** One rank, staged or not. */
    private record Rank(Communicator comm, HostRelay relay) {

        void allReduce(MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            if (relay == null) {
                comm.allReduce(in, out, count, type, op);
            } else if (!relay.allReduce(in.address(), out.address(), count, type, op)) {
                comm.barrier(); // throws why
                throw new AssertionError("the staging thread has ended");
            }
        }

        void check(DataType type, ReduceOp op, long count, boolean inPlace, Random random) {
            try (Arena arena = Arena.ofShared()) {
                long bytes = count * type.bytes();
                MemorySegment in = arena.allocate(bytes + 64, 64);
                byte[] noise = new byte[(int) bytes];
                random.nextBytes(noise);
                if (type.name().contains("FLOAT")) {
                    // No infinity, no NaN, whose payload depends on the instructions that the compiler picks.
                    for (int i = type.bytes() - 1; i < noise.length; i += type.bytes()) {
                        noise[i] &= (byte) 0xbf;
                    }
                }
                MemorySegment.copy(noise, 0, in, ValueLayout.JAVA_BYTE, 0, noise.length);
                MemorySegment expected = arena.allocate(bytes + 64, 64);
                comm.allReduce(in, expected, count, type, op);
                MemorySegment out = inPlace ? in : arena.allocate(bytes + 64, 64);
                out.asSlice(bytes).fill((byte) 0x5a);
                expected.asSlice(bytes).fill((byte) 0x5a);
                allReduce(in, out, count, type, op);
                assertThat(out.mismatch(expected))
                        .as("%s %s of %d", type, op, count)
                        .isEqualTo(-1);
            }
        }
    }

    /** Ranks as threads; a 1 stands for one that is staged. */
    private static final class Group implements AutoCloseable {
        private final List<Communicator> comms;
        private final List<Rank> ranks = new ArrayList<>();
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final long seed;

        Group(String staged, Map<String, String> settings, long seed) {
            this.seed = seed;
            comms = Communicator.local(staged.length(), settings);
            for (int i = 0; i < staged.length(); i++) {
                Communicator comm = comms.get(i);
                HostRelay relay = staged.charAt(i) == '0'
                        ? null
                        : new HostRelay(
                                Long.parseLong(settings.get("MINI_NCCL_STAGING")),
                                Integer.parseInt(settings.get("MINI_NCCL_CHANNELS")),
                                settings.get("MINI_NCCL_TRANSPORT").equals("tcp") ? 128 << 10 : 512 << 10,
                                seed + i,
                                comm::staged,
                                thrown -> comm.abort(thrown.toString()));
                ranks.add(new Rank(comm, relay));
            }
        }

        void onAll(Body body) throws Exception {
            List<Future<?>> running = new ArrayList<>();
            for (Rank rank : ranks) {
                Random random = new Random(seed * 31 + rank.comm.rank());
                running.add(threads.submit(() -> {
                    try {
                        body.run(rank, random);
                    } catch (AssertionError e) {
                        rank.comm.abort(e.getMessage());
                        throw e;
                    }
                    return null;
                }));
            }
            ExecutionException first = null;
            for (Future<?> one : running) {
                try {
                    one.get();
                } catch (ExecutionException e) {
                    first = first == null ? e : first;
                }
            }
            if (first != null) {
                throw first;
            }
        }

        @Override
        public void close() {
            for (Rank rank : ranks) {
                if (rank.relay != null) {
                    rank.relay.close();
                }
            }
            threads.shutdownNow();
            comms.forEach(Communicator::close);
        }
    }
}
