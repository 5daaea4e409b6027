package dev.mininccl.cli.doctor;

import dev.mininccl.bindings.NativeAccess;
import dev.mininccl.core.Communicator;
import dev.mininccl.core.DataType;
import dev.mininccl.core.ReduceOp;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Checks of this Java process. */
final class ProcessChecks {

    private static final int CONNECT_MILLIS = 1_000;

    private static final String BETWEEN_PROCESSES = "shm,unix,tcp";

    private ProcessChecks() {}

    static Finding java() {
        return Finding.ok("java", Runtime.version() + ", " + System.getProperty("java.vm.vendor"));
    }

    static Finding nativeAccess() {
        return NativeAccess.granted()
                ? Finding.ok("native access", "granted to dev.mininccl.bindings")
                : Finding.fail(
                        "native access",
                        "not granted to dev.mininccl.bindings",
                        "start Java with " + NativeAccess.flag() + ", or use the launcher ./mini-nccl");
    }

    static Finding vectors() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
                ? Finding.ok("vectors", "the module jdk.incubator.vector is there")
                : Finding.warn(
                        "vectors",
                        "the module jdk.incubator.vector is not there: reductions are slower",
                        "start Java with --add-modules jdk.incubator.vector, or use the launcher ./mini-nccl");
    }

    /** Where processes of this machine meet by default, and where those of others could. */
    static Finding network() {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try (ServerSocket server = new ServerSocket(0, 1, loopback);
                Socket client = new Socket(Proxy.NO_PROXY)) {
            client.connect(server.getLocalSocketAddress(), CONNECT_MILLIS);
            String addresses = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .collect(Collectors.joining(", "));
            return Finding.ok(
                    "network",
                    "processes meet on the loopback interface; other machines could at "
                            + (addresses.isEmpty() ? "no address" : addresses));
        } catch (IOException e) {
            return Finding.fail(
                    "network",
                    "processes of this machine cannot meet at 127.0.0.1: " + e.getMessage(),
                    "ip link set lo up, and see the firewall and the network namespace");
        }
    }

    /** The path that must work everywhere: two ranks reduce host memory, over what joins processes of this machine. */
    static Finding hostPath(Settings settings) {
        String wanted = settings.text(Setting.TRANSPORT);
        try (Arena arena = Arena.ofShared()) {
            List<Communicator> ranks = Communicator.local(
                    2, Map.of(Setting.TRANSPORT.variable(), wanted.equals("auto") ? BETWEEN_PROCESSES : wanted));
            String way = way(ranks.getFirst().explain());
            List<CompletableFuture<Boolean>> right = ranks.stream()
                    .map(rank -> CompletableFuture.supplyAsync(
                            () -> reduces(rank, arena),
                            task -> Thread.ofPlatform()
                                    .name("doctor-rank-" + rank.rank())
                                    .start(task)))
                    .toList();
            boolean both = true;
            for (CompletableFuture<Boolean> one : right) {
                both &= one.orTimeout(20, TimeUnit.SECONDS).join();
            }
            return both
                    ? Finding.ok("host path", "two ranks all-reduced 1 MiB of host memory, result right, by " + way)
                    : Finding.fail(
                            "host path", "an all-reduce of host memory gave a wrong result", "report this as a bug");
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return Finding.fail("host path", "an all-reduce failed: " + cause.getMessage(), "see what is wrong above");
        }
    }

    /** What an explanation says of the only peer: transport, details, and why not another. */
    private static String way(String explanation) {
        return explanation
                .lines()
                .filter(line -> line.startsWith("  rank 1 "))
                .map(line -> line.replaceFirst("^.*?\\): ", ""))
                .findFirst()
                .orElse("nothing that explain() tells");
    }

    private static boolean reduces(Communicator rank, Arena arena) {
        int count = 1 << 18;
        try (rank) {
            MemorySegment data = arena.allocate(ValueLayout.JAVA_FLOAT, count);
            for (int i = 0; i < count; i++) {
                data.setAtIndex(ValueLayout.JAVA_FLOAT, i, i + rank.rank());
            }
            rank.allReduce(data, data, count, DataType.FLOAT32, ReduceOp.SUM);
            boolean right = true;
            for (int i = 0; i < count; i++) {
                right &= data.getAtIndex(ValueLayout.JAVA_FLOAT, i) == 2f * i + 1;
            }
            return right;
        }
    }
}
