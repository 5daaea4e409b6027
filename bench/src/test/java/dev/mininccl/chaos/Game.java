package dev.mininccl.chaos;

import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * One round of chaos. All that is chosen follows from the seed, so that every process knows what all ranks do.
 *
 * @param seed of this round
 * @param ranks 2 to 8
 * @param processes that the ranks are spread over, in turn
 * @param transport a name of {@code MINI_NCCL_TRANSPORT}
 * @param settings of all ranks
 * @param steps what each rank calls
 * @param fault what goes wrong
 * @param victim the rank that it happens to
 * @param when the step at which it happens, -1 for while joining
 * @param delayMicros from there
 */
record Game(
        long seed,
        int ranks,
        int processes,
        String transport,
        Map<String, String> settings,
        List<Step> steps,
        Fault fault,
        int victim,
        int when,
        int delayMicros) {

    /** After this without progress an operation fails. */
    static final int TIMEOUT_MILLIS = 2500;

    private static final int MOST_BYTES = 4 << 20;
    private static final DataType[] TYPES = {
        DataType.INT8,
        DataType.INT32,
        DataType.INT64,
        DataType.FLOAT16,
        DataType.BFLOAT16,
        DataType.FLOAT32,
        DataType.FLOAT64
    };

    /** What a rank may call. */
    enum Call {
        ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER
    }

    /** What may go wrong. */
    enum Fault {
        NONE,
        /** {@code kill -9} of the victim's process. */
        KILL,
        /** The process stands still for less than anyone minds. */
        PAUSE,
        /** It stands still for longer than anyone waits. */
        FREEZE,
        ABORT,
        /** Another thread closes the communicator. */
        CLOSE,
        /** The victim calls something else. */
        OTHER_CALL,
        /** The victim makes no more calls. */
        STAY_AWAY,
        /** The victim closes in order before the end. */
        LEAVE,
        /** The victim's thread is interrupted again and again. */
        INTERRUPT,
        /** A connection of the victim is reset. */
        RESET,
        /** The master ends while all still need it. */
        MASTER;

        /** Whether all ranks must get through all the same. */
        boolean harmless() {
            return this == NONE || this == PAUSE || this == INTERRUPT;
        }
    }

    /** One call; count of a part where there are parts; so many of them at once where asynchronous. */
    record Step(Call call, DataType type, ReduceOp op, int count, boolean inPlace, int async, boolean registered) {

        /** Bytes of the larger buffer. */
        long bytes(int ranks) {
            return (long) count * type.bytes() * (call == Call.ALL_REDUCE ? 1 : ranks);
        }
    }

    static Game of(long seed) {
        Random random = new Random(seed);
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        int ranks = random.nextInt(3) > 0 ? 2 + random.nextInt(2) : 4 + random.nextInt(5);
        int processes = 1 + random.nextInt(ranks);
        String transport = List.of("local", "shm", "unix", "tcp", "auto").get(random.nextInt(5));
        if (fault == Fault.RESET) {
            transport = "tcp";
        } else if (transport.equals("local")) {
            processes = 1;
            fault = fault == Fault.MASTER || signals(fault) ? Fault.ABORT : fault;
        }
        if (signals(fault)) {
            processes = Math.max(2, processes);
        }
        int slice = 4096 << random.nextInt(6);
        int slots = 2 + random.nextInt(3);
        List<Step> steps = new ArrayList<>();
        int count = 3 + random.nextInt(fault == Fault.NONE ? 8 : 20);
        for (int i = 0; i < count; i++) {
            steps.add(step(random, ranks, slice));
        }
        boolean joining = random.nextInt(6) == 0
                && (fault == Fault.KILL || fault == Fault.PAUSE || fault == Fault.FREEZE || fault == Fault.MASTER);
        return new Game(
                seed,
                ranks,
                processes,
                transport,
                settings(random, transport, slice, slots),
                List.copyOf(steps),
                fault,
                random.nextInt(ranks),
                joining ? -1 : random.nextInt(count),
                random.nextInt(joining ? 300_000 : random.nextBoolean() ? 300 : 10_000));
    }

    private static boolean signals(Fault fault) {
        return fault == Fault.KILL || fault == Fault.PAUSE || fault == Fault.FREEZE;
    }

    private static Map<String, String> settings(Random random, String transport, int slice, int slots) {
        Map<String, String> settings = new HashMap<>();
        settings.put("MINI_NCCL_TRANSPORT", transport);
        settings.put("MINI_NCCL_SLICE_SIZE", String.valueOf(slice));
        settings.put("MINI_NCCL_SLOTS", String.valueOf(slots));
        settings.put("MINI_NCCL_CHANNELS", String.valueOf(random.nextInt(3)));
        settings.put("MINI_NCCL_SOCKETS", String.valueOf(1 + random.nextInt(2)));
        settings.put(
                "MINI_NCCL_ALGORITHM",
                List.of("auto", "auto", "one-shot", "two-shot", "ring").get(random.nextInt(5)));
        settings.put("MINI_NCCL_CROSS_MEMORY", random.nextBoolean() ? "auto" : "off");
        settings.put("MINI_NCCL_TIMEOUT", String.valueOf(TIMEOUT_MILLIS));
        settings.put("MINI_NCCL_CONNECT_TIMEOUT", "10000");
        settings.put("MINI_NCCL_CLOSE_TIMEOUT", "700");
        settings.put("MINI_NCCL_HEARTBEAT", "100");
        return settings;
    }

    private static Step step(Random random, int ranks, int slice) {
        Call call = Call.values()[random.nextInt(3)];
        DataType type = TYPES[random.nextInt(TYPES.length)];
        boolean wide = type.bytes() >= 4;
        ReduceOp op =
                List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PROD).get(random.nextInt(wide ? 4 : 3));
        long bytes = switch (random.nextInt(4)) {
            case 0 -> 8L << random.nextInt(12);
            case 1 -> (long) slice * (1 + random.nextInt(12)) + random.nextInt(33) - 16;
            case 2 -> 1 + random.nextInt(100_000);
            default -> 1L + random.nextInt(random.nextInt(4) == 0 ? MOST_BYTES : 1 << 18);
        };
        int parts = call == Call.ALL_REDUCE ? 1 : ranks;
        int count = (int) Math.max(random.nextInt(20) == 0 ? 0 : 1, bytes / type.bytes() / parts);
        int async = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0;
        return new Step(call, type, op, count, random.nextBoolean(), async, random.nextInt(3) == 0);
    }

    /** Bytes of the largest buffer. */
    long mostBytes() {
        return steps.stream().mapToLong(step -> step.bytes(ranks)).max().orElse(0);
    }

    boolean registers() {
        return steps.stream().anyMatch(Step::registered);
    }

    int processOf(int rank) {
        return rank % processes;
    }

    @Override
    public String toString() {
        return seed + ": " + fault + " of rank " + victim + " at step " + when + " of " + steps.size() + " +"
                + delayMicros + " us, " + ranks + " ranks in " + processes + " processes over " + transport + ", slice "
                + settings.get("MINI_NCCL_SLICE_SIZE") + " x " + settings.get("MINI_NCCL_SLOTS") + ", "
                + settings.get("MINI_NCCL_ALGORITHM");
    }
}
