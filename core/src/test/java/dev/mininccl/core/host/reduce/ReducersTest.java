package dev.mininccl.core.host.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kernel of every implementation against naive arithmetic: all counts, alignments and aliases that might be awkward. */
@Timeout(60)
class ReducersTest {

    private static final int[] COUNTS = {
        0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 257
    };
    private static final int[] LARGE_COUNTS = {999, 1000, 1001, 2047, 2049, 8193};

    /** Offsets in bytes of a, b and the outputs. */
    private static final int[][] OFFSETS = {{0, 0, 0, 0}, {1, 2, 3, 5}, {8, 4, 2, 6}, {63, 0, 7, 1}};

    private static final int RANKS = 3;
    private static final int ROOM = 8193 * 8 + 256;
    private static final int BUFFERS = 5;

    static List<Arguments> kernels() {
        List<Arguments> kernels = new ArrayList<>();
        for (DataType type : DataType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                kernels.add(Arguments.of(type, op, false));
                kernels.add(Arguments.of(type, op, true));
            }
        }
        return kernels;
    }

    @ParameterizedTest(name = "{0} {1} vectors={2}")
    @MethodSource("kernels")
    void agreesWithNaiveArithmetic(DataType type, ReduceOp op, boolean vectors) {
        long seed = System.nanoTime();
        System.out.println("ReducersTest " + type + " " + op + " seed " + seed);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        try (Arena arena = Arena.ofConfined()) {
            Trial trial = new Trial(type, op, Reducers.of(new Kernel(type, op), RANKS, vectors), arena, random);
            for (int count : COUNTS) {
                for (int[] offsets : OFFSETS) {
                    trial.run(count, offsets);
                }
            }
            for (int count : LARGE_COUNTS) {
                trial.run(count, OFFSETS[random.nextInt(OFFSETS.length)]);
            }
        }
    }

    /** One kernel with its memory. */
    private static final class Trial {
        private final DataType type;
        private final ReduceOp op;
        private final Reducer reducer;
        private final RandomGenerator random;
        private final long[] buffers = new long[BUFFERS];
        private final MemorySegment memory;

        Trial(DataType type, ReduceOp op, Reducer reducer, Arena arena, RandomGenerator random) {
            this.type = type;
            this.op = op;
            this.reducer = reducer;
            this.random = random;
            memory = arena.allocate((long) BUFFERS * ROOM, 64).fill((byte) 0xa5);
            for (int i = 0; i < BUFFERS; i++) {
                buffers[i] = memory.address() + 64 + (long) i * ROOM;
            }
        }

        void run(int count, int[] offsets) {
            long a = buffers[0] + offsets[0];
            long b = buffers[1] + offsets[1];
            long copy = buffers[3] + offsets[3];
            long out = List.of(buffers[4] + offsets[2], a, b).get(random.nextInt(3));
            check(count, List.of(a, b), false, List.of(out), () -> reducer.reduce(a, b, out, count));
            check(count, List.of(a, b), true, List.of(out), () -> reducer.reduceLast(a, b, out, count));
            check(count, List.of(a, a), true, List.of(a), () -> reducer.reduceLast(a, a, a, count));
            check(
                    count,
                    List.of(a, b),
                    true,
                    List.of(out, copy),
                    () -> reducer.reduceLastTwice(a, b, out, copy, count));
            check(count, List.of(a, b), true, List.of(a, b), () -> reducer.reduceLastTwice(a, b, a, b, count));
            for (int n = 1; n <= 4; n++) {
                all(n, count, offsets);
            }
        }

        private void all(int n, int count, int[] offsets) {
            // One more than is used: the number counts, not the length.
            long[] in = new long[n + 1];
            for (int k = 0; k < n; k++) {
                in[k] = buffers[k] + offsets[k];
            }
            int aliased = random.nextInt(n + 1);
            long out = aliased == n ? buffers[4] + offsets[1] : in[aliased];
            List<Long> operands = Arrays.stream(in, 0, n).boxed().toList();
            check(count, operands, true, List.of(out), () -> reducer.reduceAll(in, n, out, count));
        }

        /** Fills all memory, runs a call, and looks at every element of the results and at every other byte. */
        private void check(int count, List<Long> operands, boolean last, List<Long> targets, Runnable call) {
            fill(count, operands);
            ReduceOp effective = op == ReduceOp.AVG && !last ? ReduceOp.SUM : op;
            long[] expected = new long[count];
            long[] bits = new long[operands.size()];
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < bits.length; k++) {
                    bits[k] = Elements.get(type, operands.get(k) + (long) i * type.bytes());
                }
                expected[i] = NaiveArithmetic.reduced(type, effective, bits, RANKS);
            }
            byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
            call.run();
            for (long target : targets) {
                for (int i = 0; i < count; i++) {
                    long address = target + (long) i * type.bytes();
                    long actual = Elements.get(type, address);
                    if (!NaiveArithmetic.same(type, expected[i], actual)) {
                        assertThat(Long.toHexString(actual))
                                .as("element %d of %d, operands %s, targets %s", i, count, operands, targets)
                                .isEqualTo(Long.toHexString(expected[i]));
                    }
                }
                int from = (int) (target - memory.address());
                MemorySegment written = memory.asSlice(from, (long) count * type.bytes());
                MemorySegment.copy(MemorySegment.ofArray(before), from, written, 0, written.byteSize());
            }
            assertThat(memory.mismatch(MemorySegment.ofArray(before)))
                    .as("bytes outside the results")
                    .isEqualTo(-1);
        }

        private void fill(int count, List<Long> operands) {
            for (long operand : operands) {
                for (int i = 0; i < count; i++) {
                    Elements.put(type, operand + (long) i * type.bytes(), Elements.random(type, random));
                }
            }
        }
    }
}
