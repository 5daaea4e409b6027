package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.gpu.HostRelay;
import dev.mininccl.core.gpu.HostSteps;
import dev.mininccl.core.gpu.StagedCalls;
import dev.mininccl.core.schedule.Collective;
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
import java.util.function.Consumer;

/** Ranks as threads; a 1 stands for one that is staged, a 2 for one that is in steps. */
final class StagedGroup implements AutoCloseable {
    @FunctionalInterface
    interface Body {
        void run(Rank rank, Random random) throws Exception;
    }

    /** One rank, staged or not. */
    record Rank(Communicator comm, StagedCalls relay) {

        void allReduce(MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            if (relay == null) {
                comm.allReduce(in, out, count, type, op);
            } else if (!relay.allReduce(in.address(), out.address(), count, type, op)) {
                comm.barrier(); // throws why
                throw new AssertionError("the staging thread has ended");
            }
        }

        /** A reduce-scatter, whose result is gathered again: to the bit what an all-reduce of the two-shot kind makes of it. */
        void checkParts(DataType type, ReduceOp op, long count, boolean inPlace, Random random) {
            try (Arena arena = Arena.ofShared()) {
                long bytes = count * type.bytes();
                int ranks = comm.size();
                long own = comm.rank() * bytes;
                MemorySegment in = arena.allocate(bytes * ranks + 64, 64);
                for (long i = 0; i < bytes * ranks; i++) {
                    in.set(ValueLayout.JAVA_BYTE, i, (byte) (random.nextInt() & 0x3f));
                }
                MemorySegment part = arena.allocate(bytes + 64, 64);
                MemorySegment all = arena.allocate(bytes * ranks + 64, 64);
                comm.reduceScatter(in, part, count, type, op);
                comm.allGather(part, all, count, type);
                MemorySegment scattered = inPlace ? in.asSlice(own) : arena.allocate(bytes + 64, 64);
                run(Collective.REDUCE_SCATTER, in, scattered, count, type, op);
                assertThat(scattered.asSlice(0, bytes).mismatch(part.asSlice(0, bytes)))
                        .as("reduce_scatter of %d %s, %s", count, type, op)
                        .isEqualTo(-1);
                MemorySegment gathered = arena.allocate(bytes * ranks + 64, 64);
                MemorySegment mine = inPlace ? gathered.asSlice(own, bytes) : scattered;
                MemorySegment.copy(scattered, 0, mine, 0, bytes);
                run(Collective.ALL_GATHER, mine, gathered, count, type, null);
                assertThat(gathered.mismatch(all))
                        .as("all_gather of %d %s", count, type)
                        .isEqualTo(-1);
            }
        }

        private void run(
                Collective collective, MemorySegment in, MemorySegment out, long count, DataType type, ReduceOp op) {
            if (relay != null) {
                if (!relay.run(collective, in.address(), out.address(), count, type, op)) {
                    comm.barrier(); // throws why
                    throw new AssertionError("the staging thread has ended");
                }
            } else if (collective == Collective.ALL_GATHER) {
                comm.allGather(in, out, count, type);
            } else {
                comm.reduceScatter(in, out, count, type, op);
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

    private final List<Communicator> comms;
    final List<Rank> ranks = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final long seed;

    StagedGroup(String staged, Map<String, String> settings, long seed) {
        this.seed = seed;
        comms = Communicator.local(staged.length(), settings);
        for (int i = 0; i < staged.length(); i++) {
            Communicator comm = comms.get(i);
            StagedCalls relay = relay(staged.charAt(i), comm, settings, seed + i);
            ranks.add(new Rank(comm, relay));
        }
    }

    private static StagedCalls relay(char kind, Communicator comm, Map<String, String> settings, long seed) {
        long staging = Long.parseLong(settings.get("MINI_NCCL_STAGING"));
        int channels = Integer.parseInt(settings.get("MINI_NCCL_CHANNELS"));
        long leastShare = settings.get("MINI_NCCL_TRANSPORT").equals("local") ? 512 << 10 : 128 << 10;
        Consumer<Throwable> broken = thrown -> comm.abort(thrown.toString());
        return switch (kind) {
            case '1' ->
                new HostRelay(
                        staging,
                        channels,
                        leastShare,
                        seed,
                        comm.rank(),
                        comm.size(),
                        comm.operations()::staged,
                        comm.operations()::withdraw,
                        broken);
            case '2' ->
                new HostSteps(
                        staging, channels, leastShare, comm.rank(), comm.size(), comm.operations()::staged, broken);
            default -> null;
        };
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
