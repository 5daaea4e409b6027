package dev.mininccl.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mininccl.bindings.ibverbs.DeviceList;
import dev.mininccl.core.gpu.HostRelay;
import dev.mininccl.core.topology.Services;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The staging memory that a GPU's data passes through is sent from where it lies. Ordinary memory plays its part. Runs beside the
 * verbs transport, in a guest with an RDMA device.
 */
@Timeout(300)
class StagedOverVerbsTest {

    private static final Pattern SENT =
            Pattern.compile("verbs over \\S+: (\\d+) bytes sent in place; .* (\\d+) bytes pinned");
    private static final int STAGING = 1 << 20;
    private static final int SLICE = 32 << 10;

    @BeforeEach
    void device() {
        try (DeviceList devices = DeviceList.open()) {
            assumeTrue(devices.reason().isEmpty(), () -> devices.reason().orElseThrow());
        }
        assumeTrue(
                Services.transports().stream()
                        .anyMatch(transport -> transport.name().equals("verbs")),
                "the verbs transport is not beside these classes");
    }

    /** Two shots send and forward half of the message each; a ring of three sends a third at a time, four times. */
    @ParameterizedTest
    @CsvSource({"two-shot,11,1", "two-shot,10,1", "ring,101,1", "one-shot,01,1", "two-shot,11,2"})
    void noSliceIsCopied(String algorithm, String staged, int channels) throws Exception {
        Map<String, String> settings = Map.of(
                "MINI_NCCL_TRANSPORT", "verbs",
                "MINI_NCCL_ALGORITHM", algorithm,
                "MINI_NCCL_CHANNELS", Integer.toString(channels),
                "MINI_NCCL_SLICE_SIZE", Integer.toString(SLICE),
                "MINI_NCCL_STAGING", Integer.toString(STAGING));
        // Two and a half segments.
        int count = 5 * STAGING / 4 / Integer.BYTES;
        try (StagedGroup group = new StagedGroup(staged, settings, 1)) {
            group.onAll((rank, random) -> {
                for (int round = 1; round <= 2; round++) {
                    sum(rank, count, round);
                }
                if (rank.relay() instanceof HostRelay relay) {
                    Matcher told = told(rank.comm());
                    long bytes = 4L * count * (staged.length() - 1);
                    assertThat(Long.parseLong(told.group(1))).isBetween(bytes * 9 / 10, 2 * bytes);
                    assertThat(Long.parseLong(told.group(2))).isEqualTo(STAGING);
                    relay.close();
                    assertThat(relay.freed()).isTrue();
                    assertThat(told(rank.comm()).group(2)).isEqualTo("0");
                }
            });
        }
    }

    private static Matcher told(Communicator comm) {
        Matcher told = SENT.matcher(comm.explain());
        assertThat(told.find()).as(comm.explain()).isTrue();
        return told;
    }

    private static void sum(StagedGroup.Rank rank, int count, int round) {
        int ranks = rank.comm().size() * (rank.comm().size() + 1) / 2;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT, count);
            for (int i = 0; i < count; i++) {
                memory.setAtIndex(
                        ValueLayout.JAVA_INT, i, (i + round) * (rank.comm().rank() + 1));
            }
            rank.allReduce(memory, memory, count, DataType.INT32, ReduceOp.SUM);
            for (int i = 0; i < count; i++) {
                if (memory.getAtIndex(ValueLayout.JAVA_INT, i) != ranks * (i + round)) {
                    throw new AssertionError("element " + i + ": " + memory.getAtIndex(ValueLayout.JAVA_INT, i));
                }
            }
        }
    }
}
