package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All-gather and reduce-scatter, mixed with all-reduce, on the cases of {@link AllReduceMatrixTest}. */
@Timeout(120)
class GatherScatterMatrixTest {

    private static final int GUARD = 64;

    @ParameterizedTest
    @MethodSource("dev.mininccl.matrix.AllReduceMatrixTest#lanes")
    void matchesTheReference(String transport, int ranks, String algorithm) throws Exception {
        AllReduceMatrixTest.everyTypeAndOperation(transport, ranks, algorithm, GatherScatterMatrixTest::checkCounts);
    }

    private static void checkCounts(Communicator comm, DataType type, ReduceOp op) {
        int slice = AllReduceMatrixTest.SLICE / type.bytes();
        long[] counts = {0, 1, 7, slice + 1L, 2L * slice + 67};
        for (int i = 0; i < counts.length; i++) {
            boolean inPlace = (i + op.code()) % 2 == 0;
            int misalign = (i + type.code()) % 3 == 0 ? 1 : 0;
            reduceScatter(comm, type, op, counts[i], inPlace, misalign);
            if (i == op.code()) {
                AllReduceMatrixTest.check(comm, type, op, counts[i], inPlace, misalign);
            }
            if (op.code() < 2) {
                allGather(comm, type, counts[i], inPlace, misalign);
            }
        }
    }

    /** Large enough for references, several channels, and rings over sockets. */
    @ParameterizedTest
    @CsvSource({"local, 2", "local, 3", "shm, 2", "shm, 4", "tcp, 2", "tcp, 3", "tcp, 5"})
    void largeOnesToo(String transport, int ranks) throws Exception {
        Map<String, String> settings = new HashMap<>(Ranks.over(transport));
        settings.put("MINI_NCCL_CHANNELS", "3");
        settings.put("MINI_NCCL_STAGING", Integer.toString(4 << 20)); // segments of 2 MiB
        try (Ranks group = new Ranks(ranks, settings)) {
            group.onAll(comm -> {
                for (long count : new long[] {40_001, 150_000, 1_000_003}) {
                    for (boolean inPlace : new boolean[] {false, true}) {
                        reduceScatter(comm, DataType.FLOAT32, ReduceOp.AVG, count, inPlace, 0);
                        allGather(comm, DataType.INT32, count, inPlace, 4);
                        AllReduceMatrixTest.check(comm, DataType.INT32, ReduceOp.SUM, count, inPlace, 0);
                    }
                }
                return null;
            });
        }
    }

    static void allGather(Communicator comm, DataType type, long count, boolean inPlace, int misalign) {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = count * type.bytes();
            MemorySegment padded = padded(arena, bytes * comm.size());
            MemorySegment recv = padded.asSlice(misalign, bytes * comm.size());
            MemorySegment send = inPlace
                    ? recv.asSlice(comm.rank() * bytes, bytes)
                    : padded(arena, bytes).asSlice(misalign, bytes);
            for (long i = 0; i < count; i++) {
                Elements.put(send, type, i, Elements.input(type, ReduceOp.SUM, comm.rank(), i));
            }
            comm.allGather(send, recv, count, type);
            for (int rank = 0; rank < comm.size(); rank++) {
                for (long i = 0; i < count; i++) {
                    double expected = Elements.input(type, ReduceOp.SUM, rank, i);
                    same(
                            comm,
                            type + " of " + count,
                            rank * count + i,
                            Elements.get(recv, type, rank * count + i),
                            expected);
                }
            }
            untouched(padded, misalign + recv.byteSize());
        }
    }

    static void reduceScatter(
            Communicator comm, DataType type, ReduceOp op, long count, boolean inPlace, int misalign) {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = count * type.bytes();
            long whole = count * comm.size();
            MemorySegment send = padded(arena, bytes * comm.size()).asSlice(misalign, bytes * comm.size());
            MemorySegment padded = padded(arena, bytes);
            MemorySegment recv = inPlace ? send.asSlice(comm.rank() * bytes, bytes) : padded.asSlice(misalign, bytes);
            for (long i = 0; i < whole; i++) {
                Elements.put(send, type, i, Elements.input(type, op, comm.rank(), i));
            }
            comm.reduceScatter(send, recv, count, type, op);
            long first = comm.rank() * count;
            for (long i = 0; i < count; i++) {
                double expected = Elements.expected(type, op, comm.size(), first + i);
                same(comm, type + " " + op + " of " + count, i, Elements.get(recv, type, i), expected);
            }
            for (long i = 0; i < whole; i += 5) {
                if (!inPlace || i < first || i >= first + count) {
                    double input = Elements.input(type, op, comm.rank(), i);
                    same(comm, "input of " + type + " " + op + " of " + count, i, Elements.get(send, type, i), input);
                }
            }
            if (!inPlace) {
                untouched(padded, misalign + bytes);
            }
        }
    }

    private static MemorySegment padded(Arena arena, long bytes) {
        return arena.allocate(bytes + GUARD, 64).fill((byte) 0x5a);
    }

    private static void untouched(MemorySegment padded, long end) {
        assertThat(padded.asSlice(end).toArray(ValueLayout.JAVA_BYTE))
                .as("what follows the output")
                .containsOnly(0x5a);
    }

    private static void same(Communicator comm, String what, long index, double actual, double expected) {
        if (actual != expected) {
            throw new AssertionError("rank " + comm.rank() + " of " + comm.size() + ", " + what + ", element " + index
                    + ": " + actual + ", expected " + expected);
        }
    }

    /** In the reproducible mode a part is, to the bit, what an all-reduce has in its place. */
    @ParameterizedTest
    @CsvSource({"local, 2", "shm, 3", "tcp, 3", "tcp, 4"})
    void reproducibleBitsAreThoseOfAnAllReduce(String transport, int ranks) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Map<String, String> settings = new HashMap<>(Ranks.over(transport));
        settings.put("MINI_NCCL_REPRODUCIBLE", "1");
        try (Ranks group = new Ranks(ranks, settings)) {
            group.onAll(comm -> {
                Random random = new Random(seed + comm.rank());
                for (int count : new int[] {1, 1000, 200_001}) {
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment in = arena.allocate(ValueLayout.JAVA_FLOAT, (long) count * ranks);
                        for (int i = 0; i < count * ranks; i++) {
                            in.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat() - 0.5f);
                        }
                        MemorySegment all = arena.allocate(in.byteSize());
                        MemorySegment part = arena.allocate(4L * count);
                        comm.allReduce(in, all, (long) count * ranks, DataType.FLOAT32, ReduceOp.SUM);
                        comm.reduceScatter(in, part, count, DataType.FLOAT32, ReduceOp.SUM);
                        assertThat(part.mismatch(all.asSlice(4L * count * comm.rank(), 4L * count)))
                                .isEqualTo(-1);
                    }
                }
                return null;
            });
        }
    }
}
