package dev.mininccl.bench.gpu;

import dev.mininccl.bench.peers.Nccl;
import dev.mininccl.bindings.cuda.CudaDriver;
import dev.mininccl.bindings.cuda.CudaGraph;
import dev.mininccl.bindings.cuda.CudaMemory;
import dev.mininccl.bindings.cuda.CudaStream;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.CommunicatorOptions;
import dev.mininccl.core.DataType;
import dev.mininccl.core.DeviceCommunicator;
import dev.mininccl.core.NcclException;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.spi.Deadline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * One rank of several that no lane of GPUs links: {@code RANK WORLD gpu|host FILE STEPS}, where STEPS is a list of {@code check},
 * {@code graph} (every rank has a GPU), {@code parts}, {@code mismatch} (last), {@code time} and, for two ranks with a GPU, {@code compare} (beside NCCL) and {@code small}.
 * {@code MINI_NCCL_TRANSPORT} picks the lanes; the master's port is the property {@code master.port}.
 */
public final class GpuNetwork {
    private static final long M = 1 << 20;
    private static final long[] SMALL = {8, 4 << 10, 64 << 10, 256 << 10};
    private static final long[] LARGE = {M, 4 * M, 16 * M, 64 * M, 256 * M, 1024 * M};
    private static final long[] TIMED = {4 * M, 16 * M, 64 * M, 256 * M};

    private final Communicator comm;
    private final Rank rank;
    private final DeviceCommunicator device;
    private final NetworkRank self;
    private final FileBootstrap bootstrap;

    private GpuNetwork(Communicator comm, Path file, boolean gpu) {
        this.comm = comm;
        if (gpu) {
            CudaDriver.start();
            rank = new Rank(file, comm.rank(), comm.size(), comm.rank() % CudaDriver.deviceCount(), 1024 * M);
            bootstrap = rank.bootstrap;
            device = comm.device(rank.context.device().ordinal());
            self = new NetworkRank.OnGpu(rank, device);
            System.out.println(device.explain());
        } else {
            rank = null;
            bootstrap = new FileBootstrap(file, comm.rank(), comm.size());
            device = null;
            self = new NetworkRank.OnHost(comm);
            comm.withoutDevice();
        }
    }

    /**
     * Runs one rank.
     *
     * @param args rank, number of ranks, kind, file, steps
     * @throws Throwable whatever fails
     */
    public static void main(String[] args) throws Throwable {
        CommunicatorOptions options = CommunicatorOptions.builder()
                .rank(Integer.parseInt(args[0]))
                .size(Integer.parseInt(args[1]))
                .master("127.0.0.1", Integer.getInteger("master.port", CommunicatorOptions.DEFAULT_PORT))
                .build();
        try (Communicator comm = Communicator.join(options)) {
            GpuNetwork run = new GpuNetwork(comm, Path.of(args[3]), args[2].equals("gpu"));
            for (int i = 4; i < args.length; i++) {
                switch (args[i]) {
                    case "check" -> run.check();
                    case "graph" -> run.graph();
                    case "parts" -> run.parts();
                    case "mismatch" -> run.mismatch();
                    case "time" -> run.time();
                    case "compare" -> run.compare(LARGE);
                    case "small" -> run.compare(SMALL);
                    default -> throw new IllegalArgumentException(args[i]);
                }
            }
            run.bootstrap.barrier();
        }
    }

    private void say(String format, Object... values) {
        if (comm.rank() == 0) {
            System.out.printf(format + "%n", values);
        }
    }

    private void check() {
        long seed = 20261130;
        long start = System.nanoTime();
        try (Arena arena = Arena.ofShared()) {
            NetworkChecks checks = new NetworkChecks(self, comm.rank(), comm.size(), arena);
            int failures = checks.run(seed);
            System.out.printf(
                    "check rank %d: %d cases, %s, %.1f s%n",
                    comm.rank(),
                    checks.cases(),
                    failures == 0 ? "all right" : failures + " WRONG",
                    (System.nanoTime() - start) / 1e9);
        }
    }

    /** A captured graph of three calls, replayed, between plain calls; all ranks have a GPU. */
    private void graph() {
        int[] counts = {1000, 3, 3_000_001};
        boolean right = true;
        CudaGraph.begin(rank.stream);
        for (int count : counts) {
            device.allReduce(rank.input, rank.input, count, DataType.INT32, ReduceOp.SUM, rank.stream);
        }
        try (CudaGraph graph = CudaGraph.end(rank.stream);
                Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(ValueLayout.JAVA_INT, counts[2]);
            for (int replay = 0; replay < 20; replay++) {
                for (int i = 0; i < counts[2]; i++) {
                    host.setAtIndex(ValueLayout.JAVA_INT, i, i * (comm.rank() + 1) + replay);
                }
                CudaMemory.toDevice(rank.input, host);
                CudaStream.synchronize(0);
                graph.launch(rank.stream);
                device.synchronize(rank.stream);
                CudaMemory.toHost(host, rank.input);
                int n = comm.size();
                for (int i = 0; i < counts[2]; i++) {
                    int sum = i * (n * (n + 1) / 2) + n * replay;
                    int times = i < 3 ? n * n : i < 1000 ? n : 1;
                    right &= host.getAtIndex(ValueLayout.JAVA_INT, i) == sum * times;
                }
            }
        }
        System.out.printf("graph rank %d: 20 replays of 3 calls, %s%n", comm.rank(), right ? "right" : "WRONG");
    }

    /** All-gather and reduce-scatter, plain and from a graph, in place and apart. */
    private void parts() {
        int n = comm.size();
        long start = System.nanoTime();
        boolean right = true;
        try (Arena arena = Arena.ofConfined()) {
            for (int count : new int[] {1, 1000, 100_003, 9_000_001}) {
                MemorySegment data = arena.allocate(ValueLayout.JAVA_INT, (long) count * n);
                for (boolean inPlace : new boolean[] {false, true}) {
                    for (int i = 0; i < count * n; i++) {
                        data.setAtIndex(ValueLayout.JAVA_INT, i, i * (comm.rank() + 1));
                    }
                    self.scatterAndGather(data, count, inPlace);
                    for (int i = 0; i < count * n; i++) {
                        right &= data.getAtIndex(ValueLayout.JAVA_INT, i) == i * (n * (n + 1) / 2);
                    }
                }
            }
        }
        System.out.printf(
                "parts rank %d: %s, %.1f s%n",
                comm.rank(), right ? "right" : "WRONG", (System.nanoTime() - start) / 1e9);
    }

    private void mismatch() {
        bootstrap.barrier();
        long start = System.nanoTime();
        try (Arena arena = Arena.ofShared()) {
            int count = comm.rank() == 1 ? 1001 : 1000;
            NetworkRank.Call call = new NetworkRank.Call(DataType.FLOAT32, ReduceOp.SUM, count, 0, false);
            self.reduce(call, arena.allocate(8192, 64), arena.allocate(8192, 64));
            System.out.println("WRONG: rank " + comm.rank() + " heard of no mismatch");
        } catch (NcclException e) {
            System.out.printf(
                    "mismatch rank %d after %.1f ms: %s%n",
                    comm.rank(), (System.nanoTime() - start) / 1e6, e.getMessage());
        }
    }

    private byte[] fromFirst(byte[] mine) {
        return bootstrap.allGather(mine, Deadline.afterNanos(60_000_000_000L)).getFirst();
    }

    private Runnable ours(long bytes) {
        return () -> device.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
    }

    /** Until the host engine's loops are compiled. */
    private void warmUp() {
        for (int i = 0; i < 5000; i++) {
            ours(i % 4 == 0 ? 256 << 10 : 1024).run();
            device.synchronize(rank.stream);
        }
        for (int i = 0; i < 400; i++) {
            ours(i % 4 == 0 ? M : 16 * M).run();
            device.synchronize(rank.stream);
        }
    }

    private void time() {
        warmUp();
        Timer timer = new Timer(rank);
        StringBuilder line = new StringBuilder();
        for (long bytes : TIMED) {
            double micros = timer.stream(ours(bytes), 16 * bytes, 5);
            line.append(String.format("  %d M %.0f us %.2f GB/s", bytes / M, micros, bytes / micros / 1e3));
        }
        say("%s", line);
    }

    private void compare(long[] sizes) throws Throwable {
        CudaMemory.fill(rank.input, (byte) 0, rank.bytes);
        warmUp();
        Timer timer = new Timer(rank);
        try (Nccl nccl = Nccl.join(comm.rank(), comm.size(), this::fromFirst)) {
            say(
                    "NCCL %s beside it, float sum, us a call (median): ours stream blocking | nccl stream blocking | ratios",
                    nccl.version());
            for (long bytes : sizes) {
                Runnable theirs = () ->
                        nccl.allReduce(rank.input, rank.output, bytes / 4, DataType.FLOAT32, ReduceOp.SUM, rank.stream);
                theirs.run();
                CudaStream.synchronize(rank.stream);
                double[] t = new double[4];
                int rounds = bytes > 64 * M ? 3 : 5;
                t[0] = timer.stream(ours(bytes), 16 * bytes, rounds);
                t[2] = timer.stream(theirs, 16 * bytes, rounds);
                t[1] = timer.blocking(ours(bytes), 16 * bytes, rounds);
                t[3] = timer.blocking(theirs, 16 * bytes, rounds);
                say(
                        "%11d  %10.1f %10.1f | %10.1f %10.1f | %5.3f %5.3f  ours %6.2f GB/s",
                        bytes, t[0], t[1], t[2], t[3], t[0] / t[2], t[1] / t[3], bytes / t[0] / 1e3);
            }
        }
    }
}
