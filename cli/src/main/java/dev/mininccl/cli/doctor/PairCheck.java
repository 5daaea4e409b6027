package dev.mininccl.cli.doctor;

import dev.mininccl.cli.HostAndPort;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.DataType;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Meets the doctor of another machine and proves the way between both: what joins them, right results, the time of a small
 * all-reduce (of two ranks: one way) and the bandwidth of a large one, both ways at once. Both make the same calls.
 */
final class PairCheck {

    private static final int SMALL = 64;
    private static final int LARGE = 8 << 20;
    private static final double SMALL_SECONDS = 3;
    private static final double LARGE_SECONDS = 3;
    private static final double ROUND_MICROS = 300_000;
    private static final int LEAST = 5;
    private static final int MOST = 30_000;

    private final Communicator comm;
    private final MemorySegment in;
    private final MemorySegment out;
    private boolean right = true;

    private PairCheck(Communicator comm, Arena arena) {
        this.comm = comm;
        in = arena.allocate(LARGE, 4096);
        out = arena.allocate(LARGE, 4096);
        for (int i = 0; i < LARGE / Float.BYTES; i++) {
            in.setAtIndex(ValueLayout.JAVA_FLOAT, i, (i & 0xffff) + comm.rank());
        }
    }

    /** Joins at an address, which belongs to one of the two machines; waits for the other as long as joining may take. */
    static List<Finding> with(HostAndPort master, byte[] secret) {
        CommunicatorOptions options = CommunicatorOptions.builder()
                .rank(-1)
                .size(2)
                .master(master.host(), master.port())
                .secret(secret)
                .build();
        try (Communicator comm = Communicator.join(options);
                Arena arena = Arena.ofShared()) {
            return new PairCheck(comm, arena).findings();
        } catch (NcclException e) {
            return List.of(Finding.fail(
                    "pair",
                    e.getMessage(),
                    "start doctor --with " + master + " on both machines at about the same time; the address is one of"
                            + " theirs and the port open between them"));
        }
    }

    private List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        comm.explain()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("rank " + (1 - comm.rank()) + " "))
                .forEach(line -> findings.add(Finding.ok("pair", line)));
        double[] small = micros(SMALL, SMALL_SECONDS);
        double[] large = micros(LARGE, LARGE_SECONDS);
        findings.add(Finding.ok(
                "pair latency",
                String.format(
                        Locale.ROOT, "all-reduce of 64 B: %.1f us typical, %.1f least", median(small), small[0])));
        findings.add(Finding.ok(
                "pair bandwidth",
                String.format(
                        Locale.ROOT,
                        "all-reduce of 8 MiB: %.2f ms typical, %.2f GB/s each way at once",
                        median(large) / 1e3,
                        LARGE / median(large) / 1e3)));
        findings.add(
                right
                        ? Finding.ok("pair results", "all sums right")
                        : Finding.fail(
                                "pair results", "wrong sums", "trust nothing on this way and report this as a bug"));
        comm.barrier();
        return findings;
    }

    private static double median(double[] sorted) {
        return sorted[sorted.length / 2];
    }

    /** Times of the last round, sorted: by then the code is compiled. */
    private double[] micros(int bytes, double seconds) {
        double[] micros = new double[LEAST];
        for (double spent = 0; spent < seconds * 1e6; ) {
            double round = 0;
            for (int i = 0; i < micros.length; i++) {
                micros[i] = reduce(bytes);
                round += micros[i];
            }
            round = slowest(round);
            spent += round;
            if (spent < seconds * 1e6) {
                micros = new double[(int) Math.clamp(ROUND_MICROS * micros.length / round, LEAST, MOST)];
            }
        }
        int count = bytes / Float.BYTES;
        for (int i = 0; i < count; i++) {
            right &= out.getAtIndex(ValueLayout.JAVA_FLOAT, i) == 2f * (i & 0xffff) + 1;
        }
        Arrays.sort(micros);
        return micros;
    }

    private double reduce(int bytes) {
        long begin = System.nanoTime();
        comm.allReduce(in, out, bytes / Float.BYTES, DataType.FLOAT32, ReduceOp.SUM);
        return (System.nanoTime() - begin) / 1e3;
    }

    /** Both must make as many calls, so both go by the slower one. */
    private double slowest(double mine) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(ValueLayout.JAVA_DOUBLE);
            time.set(ValueLayout.JAVA_DOUBLE, 0, mine);
            comm.allReduce(time, time, 1, DataType.FLOAT64, ReduceOp.MAX);
            return time.get(ValueLayout.JAVA_DOUBLE, 0);
        }
    }
}
