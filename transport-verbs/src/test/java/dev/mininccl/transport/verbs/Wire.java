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
        String lines = INTERFACES.stream()
                .map(name -> "qdisc replace dev " + name + " root netem " + netem + "\n")
                .collect(Collectors.joining());
        try {
            Process process = new ProcessBuilder("tc", "-batch", "-")
                    .redirectErrorStream(true)
                    .start();
            try (var to = process.getOutputStream()) {
                to.write(lines.getBytes(StandardCharsets.UTF_8));
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new AssertionError("tc: " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
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
