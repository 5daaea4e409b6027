package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranks whose data passes through staging memory, as that of GPUs does, among ranks for which it does not. The kernel's part is played by
 * {@link dev.mininccl.core.gpu.HostRelay}; what must come out, to the bit, is what the same communicator makes of host memory.
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
                cases.add(Arguments.of(transport, algorithm, "20", 2));
                cases.add(Arguments.of(transport, algorithm, "212", 3));
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("groups")
    void comesToTheSameAsHostMemory(String transport, String algorithm, String staged, int channels) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        try (StagedGroup group = new StagedGroup(staged, settings(transport, algorithm, channels, 1 << 20), seed)) {
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
        try (StagedGroup group = new StagedGroup(staged, settings(transport, algorithm, channels, 4 << 20), seed)) {
            group.onAll((rank, random) -> {
                // A segment holds 2 MiB; the counts are the same on all ranks, the pieces are not.
                long[] bytes = {1 << 21, (1 << 21) + 4, 5_000_004, 12, 3 << 21, 1_600_000, 6_400_020};
                for (long size : bytes) {
                    rank.check(DataType.FLOAT32, ReduceOp.SUM, size / 4, size % 8 == 0, random);
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("groups")
    void partsComeToTheSameToo(String transport, String algorithm, String staged, int channels) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        try (StagedGroup group = new StagedGroup(staged, settings(transport, algorithm, channels, 1 << 20), seed)) {
            group.onAll((rank, random) -> {
                for (DataType type : DataType.values()) {
                    int slice = SLICE / type.bytes();
                    long[] counts = {0, 1, 7, slice + 1L, 3L * slice + 3};
                    for (int i = 0; i < counts.length; i++) {
                        ReduceOp op = i % 2 == 0 ? ReduceOp.SUM : ReduceOp.MAX;
                        rank.checkParts(type, op, counts[i], (i + type.code()) % 2 == 0, random);
                    }
                }
                // Several segments of half a megabyte for all parts, between all-reduces.
                rank.checkParts(DataType.INT32, ReduceOp.SUM, 300_001, false, random);
                rank.check(DataType.INT32, ReduceOp.SUM, 300_001, true, random);
                rank.checkParts(DataType.INT8, ReduceOp.SUM, 700_003, true, random);
            });
        }
    }

    @Test
    void sumsAreSums() throws Exception {
        try (StagedGroup group = new StagedGroup("10", settings("tcp", "auto", 1, 1 << 20), 1)) {
            group.onAll((rank, random) -> {
                int count = 1_000_003;
                try (Arena arena = Arena.ofShared()) {
                    MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT, count);
                    for (int i = 0; i < count; i++) {
                        memory.setAtIndex(
                                ValueLayout.JAVA_INT, i, i * (rank.comm().rank() + 1));
                    }
                    rank.allReduce(memory, memory, count, DataType.INT32, ReduceOp.SUM);
                    for (int i = 0; i < count; i++) {
                        assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, i)).isEqualTo(3 * i);
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "20"})
    void disagreementIsTold(String staged) throws Exception {
        try (StagedGroup group = new StagedGroup(staged, settings("tcp", "auto", 1, 1 << 20), 1)) {
            assertThatThrownBy(() -> group.onAll((rank, random) -> {
                        try (Arena arena = Arena.ofShared()) {
                            MemorySegment memory = arena.allocate(4096, 64);
                            rank.allReduce(memory, memory, 100 + rank.comm().rank(), DataType.INT32, ReduceOp.SUM);
                        }
                    }))
                    .hasStackTraceContaining("all_reduce of 100 int32, sum")
                    .hasStackTraceContaining("all_reduce of 101 int32, sum");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "20"})
    void anAbortEndsIt(String staged) throws Exception {
        try (StagedGroup group = new StagedGroup(staged, settings("tcp", "auto", 1, 1 << 20), 1)) {
            assertThatThrownBy(() -> group.onAll((rank, random) -> {
                        if (rank.comm().rank() == 1) {
                            Thread.sleep(50);
                            rank.comm().abort("the test says so");
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
}
