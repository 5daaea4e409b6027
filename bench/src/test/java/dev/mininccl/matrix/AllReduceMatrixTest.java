package dev.mininccl.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type, operation, place, awkward count, number of ranks, algorithm and lane against the naive reference. */
@Timeout(120)
class AllReduceMatrixTest {

    /** Small, so that "many slices" is few bytes. */
    static final int SLICE = 4096;

    static Stream<Arguments> lanes() {
        List<Arguments> cases = new ArrayList<>();
        for (String transport : new String[] {"local", "shm", "unix", "tcp"}) {
            for (int ranks : new int[] {1, 2, 3, 4, 5, 8}) {
                for (String algorithm : new String[] {"auto", "one-shot", "two-shot", "ring"}) {
                    if (ranks > 1 || algorithm.equals("auto")) {
                        cases.add(Arguments.of(transport, ranks, algorithm));
                    }
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("lanes")
    void matchesTheReference(String transport, int ranks, String algorithm) throws Exception {
        everyTypeAndOperation(transport, ranks, algorithm, AllReduceMatrixTest::checkCounts);
    }

    /** What every rank does for each type and operation. */
    @FunctionalInterface
    interface Check {
        void run(Communicator comm, DataType type, ReduceOp op);
    }

    /** On one channel, with slices of {@link #SLICE} bytes. */
    static void everyTypeAndOperation(String transport, int ranks, String algorithm, Check check) throws Exception {
        Map<String, String> settings = new HashMap<>(Ranks.over(transport));
        settings.put("MINI_NCCL_ALGORITHM", algorithm);
        settings.put("MINI_NCCL_SLICE_SIZE", Integer.toString(SLICE));
        settings.put("MINI_NCCL_CHANNELS", "1");
        try (Ranks group = new Ranks(ranks, settings)) {
            group.onAll(comm -> {
                for (DataType type : DataType.values()) {
                    for (ReduceOp op : ReduceOp.values()) {
                        check.run(comm, type, op);
                    }
                }
                return null;
            });
        }
    }

    private static void checkCounts(Communicator comm, DataType type, ReduceOp op) {
        int slice = SLICE / type.bytes();
        long[] counts = {0, 1, 7, slice - 1L, slice + 1L, 11L * slice + 3};
        for (int i = 0; i < counts.length; i++) {
            // Each count once in place and once apart, over the operations; unaligned by a byte now and then.
            boolean inPlace = (i + op.code()) % 2 == 0;
            check(comm, type, op, counts[i], inPlace, (i + type.code()) % 3 == 0 ? 1 : 0);
        }
    }

    static void check(Communicator comm, DataType type, ReduceOp op, long count, boolean inPlace, long misalign) {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = count * type.bytes();
            MemorySegment in = arena.allocate(bytes + 64, 64).asSlice(misalign, bytes);
            MemorySegment padded = arena.allocate(bytes + 64, 64);
            MemorySegment out = inPlace ? in : padded.asSlice(misalign, bytes);
            padded.fill((byte) 0x5a);
            for (long i = 0; i < count; i++) {
                Elements.put(in, type, i, Elements.input(type, op, comm.rank(), i));
            }
            comm.allReduce(in, out, count, type, op);
            verify(comm, type, op, count, out);
            if (!inPlace) {
                assertThat(padded.asSlice(misalign + bytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                        .as("what follows the output")
                        .containsOnly(0x5a);
            }
        }
    }

    private static void verify(Communicator comm, DataType type, ReduceOp op, long count, MemorySegment out) {
        for (long i = 0; i < count; i++) {
            double expected = Elements.expected(type, op, comm.size(), i);
            double actual = Elements.get(out, type, i);
            if (actual != expected) {
                throw new AssertionError("rank " + comm.rank() + ", " + type + " " + op + " of " + count + ", element "
                        + i + ": " + actual + ", expected " + expected);
            }
        }
    }
}
