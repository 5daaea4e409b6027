package dev.mininccl.transport.verbs;

import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Sets up and tears down communicators over verbs, 100 or so many, and tells what the process and the kernel hold in between. */
final class CycleMeasure {

    private static final int TOLD_EVERY = 20;
    private static final long BYTES = 256 << 10;

    private CycleMeasure() {}

    public static void main(String[] arguments) throws Exception {
        int cycles = arguments.length == 0 ? 100 : Integer.parseInt(arguments[0]);
        for (int cycle = 1; cycle <= cycles; cycle++) {
            cycle();
            if (cycle == 1 || cycle % TOLD_EVERY == 0) {
                System.gc();
                System.out.printf("after %d cycles: %s%n", cycle, held());
            }
        }
    }

    private static void cycle() {
        List<Communicator> comms = Communicator.local(2, Map.of("MINI_NCCL_TRANSPORT", "verbs"));
        List<CompletableFuture<Void>> running = comms.stream()
                .map(comm -> CompletableFuture.runAsync(() -> reduce(comm), Thread.ofPlatform()::start))
                .toList();
        running.forEach(CompletableFuture::join);
        List<CompletableFuture<Void>> closing = comms.stream()
                .map(comm -> CompletableFuture.runAsync(comm::close, Thread.ofPlatform()::start))
                .toList();
        closing.forEach(CompletableFuture::join);
    }

    private static void reduce(Communicator comm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(BYTES, 128);
            comm.allReduce(memory, memory, BYTES / Float.BYTES, DataType.FLOAT32, ReduceOp.SUM);
        }
    }

    private static String held() throws IOException {
        Stream<String> memory = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS") || line.startsWith("VmPin") || line.startsWith("Threads"))
                .map(line -> line.replaceAll("\\s+", " "));
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            Process rdma = new ProcessBuilder("rdma", "resource").start();
            return String.join(", ", memory.toList()) + ", descriptors " + descriptors.count() + ", "
                    + new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }
}
