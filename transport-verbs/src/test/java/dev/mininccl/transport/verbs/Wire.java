package dev.mininccl.transport.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The wire between the guest's two Soft-RoCE devices, and what netem does to it. */
final class Wire {

    private static final List<String> INTERFACES = List.of("rdma0", "rdma1");

    private Wire() {}

    /** Skips the test where there is none. */
    static void assume() {
        assumeTrue(there(), "no wire to disturb: see guest/tests.sh");
    }

    private static boolean there() {
        return "1".equals(System.getenv("RXE_GUEST_WIRE"));
    }

    /** Both directions at once: starting a program takes long under emulation. */
    static void disturb(String netem) {
        batch(
                "tc",
                INTERFACES.stream()
                        .map(name -> "qdisc replace dev " + name + " root netem " + netem + "\n")
                        .collect(Collectors.joining()));
    }

    private static void batch(String program, String lines) {
        try {
            Process process = new ProcessBuilder(program, "-batch", "-")
                    .redirectErrorStream(true)
                    .start();
            try (var to = process.getOutputStream()) {
                to.write(lines.getBytes(StandardCharsets.UTF_8));
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError(program + ": " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Neither end knows the other's address any more, and must ask. */
    static void forgetNeighbours() {
        batch("ip", """
                neigh del 10.99.0.2 dev rdma0
                neigh del 10.99.0.1 dev rdma1
                """);
    }

    /** As inside/setup.sh of the guest has set them. */
    static void learnNeighbours() {
        batch("ip", """
                neigh replace 10.99.0.2 lladdr 02:00:0a:63:00:02 dev rdma0 nud permanent
                neigh replace 10.99.0.1 lladdr 02:00:0a:63:00:01 dev rdma1 nud permanent
                """);
    }

    static void lose() {
        disturb("loss 100%");
    }

    /** Does nothing where there is no wire. */
    static void repair() {
        if (there()) {
            disturb("delay 0ms");
        }
    }
}
