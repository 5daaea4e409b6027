package dev.mininccl.core.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What mesh.cu and ll_twoshot.cu claim of their slots and banks, tried with ranks that run at random: nothing is written over before it was
 * read, though nobody acknowledges anything. With one slot or bank less it is. And what channel.cuh does where an operation cuts its
 * channel into other slots than the one before.
 */
@Timeout(60)
class SlotReuseTest {
    private static final int OPERATIONS = 40;
    private static final int RUNS = 60;

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 8})
    void meshNeedsItsSlotsAndNoMore(int ranks) {
        for (long seed = 1; seed <= RUNS; seed++) {
            assertThat(new Mesh(ranks, ArenaLayout.MESH_DEPTH, seed).overwritten())
                    .as("seed %d", seed)
                    .isZero();
        }
        long lost = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            lost += new Mesh(ranks, ArenaLayout.MESH_DEPTH - 1, seed).overwritten();
        }
        assertThat(lost).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 8})
    void linesNeedTwoBanks(int ranks) {
        for (long seed = 1; seed <= RUNS; seed++) {
            assertThat(new Lines(ranks, 2, seed).overwritten())
                    .as("seed %d", seed)
                    .isZero();
        }
        long lost = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            lost += new Lines(ranks, 1, seed).overwritten();
        }
        assertThat(lost).isPositive();
    }

    @Test
    void channelsAreCutAnewWhenAllSlotsAreFree() {
        long lost = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            assertThat(new Cuts(true, seed).overwritten()).as("seed %d", seed).isZero();
            lost += new Cuts(false, seed).overwritten();
        }
        assertThat(lost).isPositive();
    }

    /** Ranks, each with operations one after another, of which several parts may run at the same time. */
    private abstract static class Machine {
        final int ranks;
        final SplittableRandom random;
        /** By rank: the operations to come, each as parts, each a row of steps that are tried until they succeed. */
        final List<Deque<List<Deque<BooleanSupplier>>>> programs = new ArrayList<>();

        /** By receiver, then by place: what lies there. */
        final long[][] memory;

        long lost;

        Machine(int ranks, int places, long seed) {
            this.ranks = ranks;
            random = new SplittableRandom(seed);
            memory = new long[ranks][places];
            for (int r = 0; r < ranks; r++) {
                programs.add(new ArrayDeque<>());
            }
        }

        /** A step that always succeeds. */
        static BooleanSupplier does(Runnable action) {
            return () -> {
                action.run();
                return true;
            };
        }

        void expect(int rank, int place, long value) {
            if (memory[rank][place] != value) {
                lost++;
            }
        }

        /** Runs all at random; how often something else was read than what was meant. Flags in the data make that a wait for ever. */
        long overwritten() {
            int idle = 0;
            while (programs.stream().anyMatch(program -> !program.isEmpty()) && idle < 100_000) {
                Deque<List<Deque<BooleanSupplier>>> program = programs.get(random.nextInt(ranks));
                if (program.isEmpty()) {
                    continue;
                }
                List<Deque<BooleanSupplier>> operation = program.peek();
                Deque<BooleanSupplier> part = operation.get(random.nextInt(operation.size()));
                idle++;
                // Now and then a rank gets far ahead.
                for (int burst = 1 + random.nextInt(30);
                        burst > 0 && !part.isEmpty() && part.peek().getAsBoolean();
                        burst--) {
                    part.remove();
                    idle = 0;
                }
                if (operation.stream().allMatch(Deque::isEmpty)) {
                    program.remove();
                }
            }
            return lost + (idle > 0 ? 1 : 0);
        }
    }

    /** One channel of mesh.cu. */
    private static final class Mesh extends Machine {
        private final int depth;
        private final long[][][] published; // by receiver, step, sender

        Mesh(int ranks, int depth, long seed) {
            super(ranks, 2 * ranks * depth, seed);
            this.depth = depth;
            published = new long[ranks][2][ranks];
            long before = 0;
            for (int op = 0; op < OPERATIONS; op++) {
                int rounds = 1 + random.nextInt(5);
                for (int me = 0; me < ranks; me++) {
                    programs.get(me).add(List.of(operation(me, before, rounds)));
                }
                before += rounds;
            }
        }

        private Deque<BooleanSupplier> operation(int me, long before, int rounds) {
            Deque<BooleanSupplier> steps = new ArrayDeque<>();
            for (int k = 0; k < rounds + 2; k++) {
                if (k < rounds) {
                    send(steps, me, 0, before + k);
                }
                if (k > 0 && k <= rounds) {
                    receive(steps, me, 0, before + k - 1);
                    send(steps, me, 1, before + k - 1);
                }
                if (k > 1) {
                    receive(steps, me, 1, before + k - 2);
                }
            }
            return steps;
        }

        private void send(Deque<BooleanSupplier> steps, int me, int step, long round) {
            for (int k = 1; k < ranks; k++) {
                int to = (me + k) % ranks;
                steps.add(does(() -> memory[to][place(step, me, round)] = value(step, me, round)));
            }
            for (int k = 1; k < ranks; k++) {
                int to = (me + k) % ranks;
                steps.add(does(() -> published[to][step][me] = round + 1));
            }
        }

        private void receive(Deque<BooleanSupplier> steps, int me, int step, long round) {
            for (int k = 1; k < ranks; k++) {
                int from = (me + k) % ranks;
                steps.add(() -> published[me][step][from] > round);
            }
            for (int k = 1; k < ranks; k++) {
                int from = (me + k) % ranks;
                steps.add(does(() -> expect(me, place(step, from, round), value(step, from, round))));
            }
        }

        private int place(int step, int from, long round) {
            return (step * ranks + from) * depth + (int) (round % depth);
        }

        private static long value(int step, int from, long round) {
            return (round * 2 + step) * KernelArguments.MAX_RANKS + from + 1;
        }
    }

    /** A channel of two ranks, one way, as channel.cuh has it: each operation has slots of a size and number of its own. */
    private static final class Cuts extends Machine {
        private static final int CELLS = 12;
        private static final int[] DEPTHS = {2, 3, 4, 6};

        private long published;
        private long consumed;

        /** Waits for all slots of the operation before, or only for as many as it would without a new cut. */
        Cuts(boolean all, long seed) {
            super(2, CELLS, seed);
            long begin = 0;
            for (int op = 0; op < OPERATIONS; op++) {
                int depth = DEPTHS[random.nextInt(DEPTHS.length)];
                int slots = 1 + random.nextInt(9);
                Deque<BooleanSupplier> send = new ArrayDeque<>();
                Deque<BooleanSupplier> receive = new ArrayDeque<>();
                for (long k = begin; k < begin + slots; k++) {
                    long slot = k;
                    long needed = all && k + 1 < begin + depth ? begin : k + 1 - depth;
                    send.add(() -> consumed >= needed);
                    receive.add(() -> published > slot);
                    for (int i = 0; i < CELLS / depth; i++) {
                        int cell = (int) (k % depth) * (CELLS / depth) + i;
                        send.add(does(() -> memory[1][cell] = slot + 1));
                        receive.add(does(() -> expect(1, cell, slot + 1)));
                    }
                    send.add(does(() -> published = slot + 1));
                    receive.add(does(() -> consumed = slot + 1));
                }
                programs.get(0).add(List.of(send));
                programs.get(1).add(List.of(receive));
                begin += slots;
            }
        }
    }

    /**
     * One index of ll.cu and ll_twoshot.cu by turns, beside the warp that agrees; and in between what leaves no lines: slots of all to
     * all, or a ring, whose ranks agree with the next one alone.
     */
    private static final class Lines extends Machine {
        private final int banks;
        private final long[] passed; // by receiver: the last slice of a ring
        private final long[][] heard; // by receiver, then by sender; two banks of these, whatever the lines have

        Lines(int ranks, int banks, long seed) {
            super(ranks, banks * 2 * ranks, seed);
            this.banks = banks;
            passed = new long[ranks];
            heard = new long[ranks][2 * ranks];
            for (int op = 1; op <= OPERATIONS; op++) {
                int shots = random.nextInt(4);
                for (int me = 0; me < ranks; me++) {
                    programs.get(me)
                            .add(shots == 3 ? List.of(ring(me, op)) : List.of(move(me, op, shots), agree(me, op)));
                }
            }
        }

        private Deque<BooleanSupplier> agree(int me, long op) {
            Deque<BooleanSupplier> steps = new ArrayDeque<>();
            int bank = (int) (op & 1) * ranks;
            for (int peer = 0; peer < ranks; peer++) {
                int to = peer;
                steps.add(does(() -> heard[to][bank + me] = op));
            }
            for (int peer = 0; peer < ranks; peer++) {
                int from = peer;
                steps.add(() -> heard[me][bank + from] == op);
            }
            return steps;
        }

        private Deque<BooleanSupplier> ring(int me, long op) {
            Deque<BooleanSupplier> steps = new ArrayDeque<>();
            int next = (me + 1) % ranks;
            int previous = (me + ranks - 1) % ranks;
            int bank = (int) (op & 1) * ranks;
            steps.add(does(() -> heard[next][bank + me] = op));
            steps.add(() -> heard[me][bank + previous] == op);
            for (int step = 0; step < 2 * (ranks - 1); step++) {
                long value = op * 2L * ranks + step;
                steps.add(does(() -> passed[next] = value));
                steps.add(() -> passed[me] >= value);
            }
            return steps;
        }

        private Deque<BooleanSupplier> move(int me, long op, int shots) {
            Deque<BooleanSupplier> steps = new ArrayDeque<>();
            for (int step = 0; step < shots; step++) {
                for (int k = 1; k < ranks; k++) {
                    int to = (me + k) % ranks;
                    int place = place(step, me, op);
                    steps.add(does(() -> memory[to][place] = op));
                }
                for (int k = 1; k < ranks; k++) {
                    int place = place(step, (me + k) % ranks, op);
                    steps.add(() -> memory[me][place] == op);
                }
            }
            return steps;
        }

        private int place(int step, int from, long op) {
            return ((int) (op % banks) * 2 + step) * ranks + from;
        }
    }
}
