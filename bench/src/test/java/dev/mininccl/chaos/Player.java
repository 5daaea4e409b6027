package dev.mininccl.chaos;

import dev.mininccl.chaos.Game.Call;
import dev.mininccl.chaos.Game.Fault;
import dev.mininccl.chaos.Game.Step;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** One rank of a game: joins, makes its calls, compares all results, and tells how it ended. */
final class Player {

    private static final long CANARY_BYTES = 64;
    private static final byte CANARY = 0x5a;

    private final Game game;
    private final int rank;
    private final Supplier<Communicator> join;
    private final IntConsumer reached;

    private Communicator comm;
    private MemorySegment windowIn;
    private MemorySegment windowOut;
    private Thread troublemaker;

    /** {@code reached} hears of the steps that this rank has come to. */
    Player(Game game, int rank, Supplier<Communicator> join, IntConsumer reached) {
        this.game = game;
        this.rank = rank;
        this.join = join;
        this.reached = reached;
    }

    /** How a rank ended: {@code ok}, {@code failed} with the exception's words, or {@code defect} with what is wrong. */
    record Outcome(int rank, String kind, int step, long atMillis, String words) {}

    Outcome play() {
        int at = -1;
        try {
            comm = join.get();
            try {
                allocate();
                for (int i = 0; i < game.steps().size(); i++) {
                    at = i;
                    reached.accept(i);
                    if (trouble(i)) {
                        return outcome("ok", i, "stopped as the game says");
                    }
                    String wrong = step(i, game.steps().get(i));
                    if (wrong != null) {
                        return outcome(
                                "defect",
                                i,
                                "WRONG RESULT: " + wrong + " in " + game.steps().get(i));
                    }
                }
                return outcome("ok", at, "");
            } catch (NcclException e) {
                return failed(at, e);
            } finally {
                end();
            }
        } catch (NcclException e) {
            return outcome("failed", at, e.getMessage());
        } catch (RuntimeException | Error | InterruptedException e) {
            if (game.fault() == Fault.CLOSE && rank == game.victim() && e instanceof IllegalStateException) {
                return outcome("ok", at, "this rank's windows are gone with its communicator");
            }
            return outcome("defect", at, "threw " + e + " at " + List.of(e.getStackTrace()));
        }
    }

    /** A broken communicator stays broken and says why. */
    private Outcome failed(int at, NcclException first) {
        Outcome outcome = outcome("failed", at, first.getMessage());
        long began = System.nanoTime();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(8, 8);
            comm.allReduce(memory, memory, 1, DataType.INT64, ReduceOp.SUM);
            return outcome("defect", at, "worked again after: " + first.getMessage());
        } catch (NcclException second) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            boolean closed = second.getMessage().equals("the communicator is closed");
            if (!closed && !second.getMessage().equals(first.getMessage())) {
                return outcome("defect", at, "said first: " + first.getMessage() + " THEN: " + second.getMessage());
            }
            return millis < 500 ? outcome : outcome("defect", at, "took " + millis + " ms to fail again");
        }
    }

    private void end() throws InterruptedException {
        if (game.fault() == Fault.STAY_AWAY && rank == game.victim()) {
            Thread.sleep(Game.TIMEOUT_MILLIS + 500);
        }
        while (troublemaker != null && troublemaker.isAlive()) {
            Thread.interrupted();
            LockSupport.parkNanos(1_000_000);
        }
        Thread.interrupted();
        long began = System.nanoTime();
        comm.close();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        if (millis > 6000) {
            throw new IllegalStateException("closing took " + millis + " ms");
        }
    }

    private Outcome outcome(String kind, int step, String words) {
        return new Outcome(rank, kind, step, System.currentTimeMillis(), words.replace('\n', ' '));
    }

    private void allocate() {
        if (game.registers()) {
            windowIn = comm.allocate(Math.max(1, game.mostBytes() + CANARY_BYTES));
            windowOut = comm.allocate(Math.max(1, game.mostBytes() + CANARY_BYTES));
        }
    }

    /** The fault, where it is for this rank to bring it about. True if it makes no more calls. */
    private boolean trouble(int at) {
        if (rank != game.victim() || at != game.when()) {
            return false;
        }
        Thread self = Thread.currentThread();
        switch (game.fault()) {
            case ABORT -> soon(() -> comm.abort("chaos of seed " + game.seed()));
            case CLOSE -> soon(comm::close);
            case INTERRUPT ->
                soon(() -> {
                    for (int i = 0; i < 20; i++) {
                        self.interrupt();
                        LockSupport.parkNanos(300_000);
                    }
                });
            case OTHER_CALL -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment memory = arena.allocate(16);
                    comm.allReduce(memory, memory, 16, DataType.UINT8, ReduceOp.MAX);
                }
            }
            case STAY_AWAY, LEAVE -> {
                return true;
            }
            default -> {
                // Not this rank's to do.
            }
        }
        return false;
    }

    private void soon(Runnable trouble) {
        troublemaker = Thread.ofPlatform().name("chaos-trouble-" + rank).start(() -> {
            LockSupport.parkNanos(game.delayMicros() * 1000L);
            trouble.run();
        });
    }

    private String step(int number, Step step) {
        if (step.async() == 0) {
            return call(number, step, true);
        }
        return step.bytes(game.ranks()) > 1 << 16 ? call(number, step, false) : burst(number, step);
    }

    private String call(int number, Step step, boolean blocking) {
        try (Arena arena = Arena.ofShared()) {
            boolean windows = step.registered() && windowIn != null;
            Buffers buffers = new Buffers(
                    step,
                    number,
                    windows ? windowIn : arena.allocate(step.bytes(game.ranks()) + CANARY_BYTES, 64),
                    windows ? windowOut : arena.allocate(step.bytes(game.ranks()) + CANARY_BYTES, 64));
            if (blocking) {
                buffers.run();
            } else {
                buffers.submit().await();
            }
            return buffers.wrong();
        }
    }

    /** Several at once, awaited from the last to the first; no arena may close before all have ended. */
    private String burst(int number, Step step) {
        try (Arena arena = Arena.ofShared()) {
            List<Buffers> all = new ArrayList<>();
            List<Work> works = new ArrayList<>();
            try {
                for (int i = 0; i < step.async(); i++) {
                    long bytes = step.bytes(game.ranks()) + CANARY_BYTES;
                    Buffers buffers = new Buffers(step, number, arena.allocate(bytes, 64), arena.allocate(bytes, 64));
                    all.add(buffers);
                    works.add(buffers.submit());
                }
            } finally {
                works.forEach(work -> work.exceptionally(e -> null).join());
            }
            works.reversed().forEach(Work::await);
            for (Buffers buffers : all) {
                String wrong = buffers.wrong();
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        }
    }

    /** The buffers of one call, filled. */
    private final class Buffers {

        private final Step step;
        private final int number;
        private final MemorySegment in;
        private final MemorySegment out;

        Buffers(Step step, int number, MemorySegment first, MemorySegment second) {
            this.step = step;
            this.number = number;
            long bytes = step.bytes(game.ranks());
            MemorySegment larger = first.asSlice(0, bytes);
            first.asSlice(bytes, CANARY_BYTES).fill(CANARY);
            second.asSlice(bytes, CANARY_BYTES).fill(CANARY);
            long part = (long) step.count() * step.type().bytes();
            MemorySegment own = larger.asSlice(step.call() == Call.ALL_REDUCE ? 0 : rank * part, part);
            switch (step.call()) {
                case ALL_REDUCE -> {
                    in = larger;
                    out = step.inPlace() ? larger : second.asSlice(0, bytes);
                    Data.fill(in, step.type(), step.count(), rank, number, 0);
                }
                case ALL_GATHER -> {
                    out = larger;
                    in = step.inPlace() ? own : second.asSlice(0, part);
                    Data.fill(in, step.type(), step.count(), rank, number, 0);
                }
                default -> {
                    in = larger;
                    out = step.inPlace() ? own : second.asSlice(0, part);
                    Data.fill(in, step.type(), step.count() * game.ranks(), rank, number, 0);
                }
            }
            this.ends = new MemorySegment[] {first.asSlice(bytes, CANARY_BYTES), second.asSlice(bytes, CANARY_BYTES)};
        }

        private final MemorySegment[] ends;

        void run() {
            switch (step.call()) {
                case ALL_REDUCE -> comm.allReduce(in, out, step.count(), step.type(), step.op());
                case ALL_GATHER -> comm.allGather(in, out, step.count(), step.type());
                default -> comm.reduceScatter(in, out, step.count(), step.type(), step.op());
            }
        }

        Work submit() {
            return switch (step.call()) {
                case ALL_REDUCE -> comm.allReduceAsync(in, out, step.count(), step.type(), step.op());
                case ALL_GATHER -> comm.allGatherAsync(in, out, step.count(), step.type());
                case REDUCE_SCATTER -> comm.reduceScatterAsync(in, out, step.count(), step.type(), step.op());
            };
        }

        String wrong() {
            for (MemorySegment end : ends) {
                if (end.mismatch(MemorySegment.ofArray(new byte[(int) CANARY_BYTES])
                                .fill(CANARY))
                        != -1) {
                    return "bytes behind a buffer were written";
                }
            }
            int count = step.count();
            return switch (step.call()) {
                case ALL_REDUCE ->
                    Data.compare(out, step.type(), count, i -> Data.reduced(step.op(), game.ranks(), number, i));
                case ALL_GATHER -> {
                    String wrong = null;
                    for (int peer = 0; peer < game.ranks() && wrong == null; peer++) {
                        int from = peer;
                        long part = (long) count * step.type().bytes();
                        wrong = Data.compare(
                                out.asSlice(peer * part, part), step.type(), count, i -> Data.value(from, number, i));
                    }
                    yield wrong;
                }
                case REDUCE_SCATTER ->
                    Data.compare(
                            out,
                            step.type(),
                            count,
                            i -> Data.reduced(step.op(), game.ranks(), number, (long) rank * count + i));
            };
        }
    }
}
