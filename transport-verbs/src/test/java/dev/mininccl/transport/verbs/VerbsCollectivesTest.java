package dev.mininccl.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole collectives over verbs give the bits that they give between threads. */
@Timeout(300)
class VerbsCollectivesTest {

    private static final long LARGEST = 40_000;

    @BeforeEach
    void device() {
        Pair.assumeDevice();
    }

    @ParameterizedTest
    @CsvSource({"2,64,16,131072", "2,1,1,4999", "3,64,16,8191", "4,3,1,4096"})
    void allTypesAndOperations(int ranks, String window, String batch, String slice) {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Map<String, String> over = Map.of(
                "MINI_NCCL_TRANSPORT", "verbs",
                "MINI_NCCL_WINDOW_SIZE", window,
                "MINI_NCCL_SIGNAL_BATCH", batch,
                "MINI_NCCL_SLICE_SIZE", slice,
                "MINI_NCCL_CHANNELS", "1");
        // The same slices and links, so the same order of additions.
        Map<String, String> between =
                Map.of("MINI_NCCL_TRANSPORT", "tcp", "MINI_NCCL_SLICE_SIZE", slice, "MINI_NCCL_CHANNELS", "1");
        List<byte[]> verbs = results(ranks, seed, over);
        assertThat(verbs).hasSize(DataType.values().length * ReduceOp.values().length * counts().length * ranks);
        assertThat(verbs).usingElementComparator(java.util.Arrays::compare).isEqualTo(results(ranks, seed, between));
    }

    /**
     * Memory of an arena that has closed must not be sent again from its old registration: the next arena often gets the
     * same addresses, with other pages.
     */
    @ParameterizedTest
    @CsvSource({"2,two-shot,0", "2,one-shot,0", "3,ring,0", "3,two-shot,4096", "2,auto,0"})
    void userMemoryIsSentInPlace(int ranks, String algorithm, long extra) {
        List<Communicator> comms = Communicator.local(
                ranks,
                Map.of(
                        "MINI_NCCL_TRANSPORT", "verbs",
                        "MINI_NCCL_SLICE_SIZE", "32768",
                        "MINI_NCCL_ALGORITHM", algorithm,
                        "MINI_NCCL_CHANNELS", "1"));
        try {
            List<CompletableFuture<Void>> running = comms.stream()
                    .map(comm -> CompletableFuture.runAsync(
                            () -> sumInArenas(comm, 262_144 + extra),
                            task -> Thread.ofPlatform().start(task)))
                    .toList();
            running.forEach(CompletableFuture::join);
            for (Communicator comm : comms) {
                assertThat(comm.explain())
                        .containsPattern("verbs over [a-z0-9]+: [1-9][0-9]+ bytes sent in place; registrations: ");
            }
        } finally {
            comms.forEach(Communicator::close);
        }
    }

    private static void sumInArenas(Communicator comm, long bytes) {
        int count = (int) (bytes / Integer.BYTES);
        MemorySegment lasting = comm.allocate(bytes);
        for (int round = 1; round <= 6; round++) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment in = round % 3 == 0 ? lasting : arena.allocate(bytes, 4096);
                for (int i = 0; i < count; i++) {
                    in.setAtIndex(ValueLayout.JAVA_INT, i, (comm.rank() + 1) * (i + round));
                }
                MemorySegment out = round % 2 == 0 ? in : arena.allocate(bytes, 8);
                comm.allReduce(in, out, count, DataType.INT32, ReduceOp.SUM);
                int ranks = comm.size() * (comm.size() + 1) / 2;
                for (int i = 0; i < count; i++) {
                    if (out.getAtIndex(ValueLayout.JAVA_INT, i) != ranks * (i + round)) {
                        throw new AssertionError("rank " + comm.rank() + ", round " + round + ", element " + i + ": "
                                + out.getAtIndex(ValueLayout.JAVA_INT, i));
                    }
                }
            }
        }
    }

    private static long[] counts() {
        return new long[] {1, 33, 1009};
    }

    /** What all ranks got, operation by operation, rank by rank. */
    private static List<byte[]> results(int ranks, long seed, Map<String, String> settings) {
        List<Communicator> comms = Communicator.local(ranks, settings);
        try {
            List<CompletableFuture<List<byte[]>>> running = new ArrayList<>();
            for (Communicator comm : comms) {
                running.add(CompletableFuture.supplyAsync(
                        () -> rank(comm, seed), task -> Thread.ofPlatform().start(task)));
            }
            List<byte[]> all = new ArrayList<>();
            running.forEach(rank -> all.addAll(rank.join()));
            return all;
        } finally {
            comms.forEach(Communicator::close);
        }
    }

    private static List<byte[]> rank(Communicator comm, long seed) {
        List<byte[]> results = new ArrayList<>();
        Random random = new Random(seed + comm.rank());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(LARGEST, 8);
            MemorySegment out = arena.allocate(LARGEST, 8);
            for (DataType type : DataType.values()) {
                for (ReduceOp op : ReduceOp.values()) {
                    for (long count : counts()) {
                        // Small exponents in every floating type: no infinities, no NaNs.
                        for (long at = 0; at < count * type.bytes(); at++) {
                            in.set(ValueLayout.JAVA_BYTE, at, (byte) (random.nextInt(16) + 0x30));
                        }
                        comm.allReduce(in, out, count, type, op);
                        results.add(out.asSlice(0, count * type.bytes()).toArray(ValueLayout.JAVA_BYTE));
                    }
                }
            }
        }
        return results;
    }
}
