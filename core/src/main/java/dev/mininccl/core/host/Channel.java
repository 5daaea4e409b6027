package dev.mininccl.core.host;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.host.reduce.KernelWarmup;
import dev.mininccl.core.host.reduce.Reducer;
import dev.mininccl.core.host.reduce.Reducers;
import dev.mininccl.core.schedule.Collective;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.tuning.Plan;
import java.lang.foreign.Arena;
import java.time.Duration;

/** One channel: its lanes, the algorithms over them, and the thread-bound things that they use. Used by one thread at a time. */
final class Channel {

    /** A first operation of so many elements would run long on code that is not compiled yet. */
    private static final int WARM_UP_FROM = 65_536;

    private static final Duration WARM_UP = Duration.ofMillis(500);
    private static final int OPS = ReduceOp.values().length;

    private final Neighbours neighbours;
    /** Two ranks only. */
    private final Exchange exchange;

    private final PairHalves pairHalves;

    private final OneShot oneShot;
    private final TwoShot twoShot;
    private final Ring ring;
    private final WindowTable windows;
    private final AbstractAlgorithm onWindows;
    private final WindowHalves halvesOnWindows;
    private final Waiter waiter;
    private final Step step = new Step();
    private final Reducer[] reducers = new Reducer[DataType.values().length * OPS];
    private final Settings settings;
    private Algorithm last;

    Channel(int rank, Link[] links, WindowTable windows, Waiter waiter, Settings settings, Arena arena) {
        this.neighbours = new Neighbours(rank, links);
        this.exchange = links.length == 2 ? new Exchange(neighbours) : null;
        this.pairHalves = links.length == 2 ? new PairHalves(neighbours) : null;
        this.oneShot = new OneShot(neighbours);
        this.twoShot = new TwoShot(neighbours);
        this.ring = new Ring(neighbours);
        this.windows = windows;
        this.onWindows = links.length == 2
                ? new WindowExchange(neighbours, windows, arena)
                : new WindowTwoShot(neighbours, windows, arena);
        this.halvesOnWindows = new WindowHalves(neighbours, windows, arena);
        this.waiter = waiter;
        waiter.watch(() -> neighbours.failed() >= 0);
        this.settings = settings;
        this.last = oneShot;
    }

    /**
     * Runs an operation; how it ended is one of the constants of {@link Algorithm}. Where there are parts, {@code count} and
     * {@code stride} are those of each. Where there is a stage, input and output are its share of staging memory.
     */
    int run(
            Collective collective,
            long in,
            long out,
            long count,
            long stride,
            DataType type,
            ReduceOp op,
            long fingerprint,
            Plan plan,
            Stage stage) {
        Reducer reducer = collective.reduces() ? reducer(type, op, count) : step.reducer;
        step.set(
                collective,
                in,
                out,
                count,
                stride,
                neighbours.rank,
                neighbours.ranks,
                type,
                fingerprint,
                reducer,
                stage);
        waiter.begin();
        int ended = stage == null || step.allReduces() ? Algorithm.DONE : awaitInput();
        if (ended == Algorithm.DONE) {
            ended = run(plan);
        }
        if (stage != null && ended == Algorithm.DONE) {
            step.completed();
        }
        return ended;
    }

    /**
     * Where parts pass through staging memory, nothing may come into it before this rank's input has: until then its half may hold
     * results that are still to be taken away.
     */
    private int awaitInput() {
        while (!step.ready(1)) {
            if (waiter.idle()) {
                return Algorithm.STOPPED;
            }
        }
        return Algorithm.DONE;
    }

    private int run(Plan plan) {
        // Worth its messages if some window exists, which is so on all ranks alike.
        if (plan.windows() && !windows.isEmpty()) {
            Algorithm algorithm = step.allReduces() ? onWindows : halvesOnWindows;
            use(algorithm);
            int ended = algorithm.run(step, waiter);
            if (ended != Algorithm.DECLINED) {
                return ended;
            }
        }
        step.slices(plan.sliceBytes(), plan.byReference());
        Algorithm algorithm = step.allReduces() ? allReduce(plan.algorithm()) : half(plan.algorithm());
        use(algorithm);
        return algorithm.run(step, waiter);
    }

    /** Stores a reference, which costs a barrier of the collector's, only when it changes. */
    @SuppressWarnings("ReferenceEquality")
    private void use(Algorithm algorithm) {
        if (last != algorithm) {
            last = algorithm;
        }
    }

    private Algorithm allReduce(Plan.Algorithm algorithm) {
        return switch (algorithm) {
            case ONE_SHOT -> exchange != null && step.count <= step.sliceElements ? exchange : oneShot;
            case TWO_SHOT -> twoShot;
            case RING -> ring;
        };
    }

    /** One shot and the halves of two are the same. */
    private Algorithm half(Plan.Algorithm algorithm) {
        if (algorithm == Plan.Algorithm.RING) {
            return ring;
        }
        return pairHalves != null && !step.byReference && step.count <= step.sliceElements ? pairHalves : twoShot;
    }

    private Reducer reducer(DataType type, ReduceOp op, long count) {
        int index = type.code() * OPS + op.code();
        Reducer reducer = reducers[index];
        if (reducer == null) {
            if (count >= WARM_UP_FROM) {
                KernelWarmup.warm(type, op, settings, WARM_UP);
            }
            reducer = Reducers.of(type, op, neighbours.ranks, settings);
            reducers[index] = reducer;
        }
        return reducer;
    }

    /** The peer that the last failure is about, or -1. */
    int culprit() {
        return last.culprit();
    }

    /** Whether the last stop was the deadline's. */
    boolean expired() {
        return waiter.stop() == Waiter.EXPIRED;
    }

    /** What the lane from a peer says of its failure. */
    String failure(int peer) {
        ReceiveLane lane = neighbours.receive[peer];
        String failure = lane.failure();
        return failure == null ? "the lane from rank " + peer + " failed" : failure;
    }
}
