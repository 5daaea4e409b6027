package dev.mininccl.transport.ipc;

import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;

/** Measures an exchange of slices between two processes, lanes alone: the floor of a small all-reduce. Run by hand. */
final class LaneLatency {

    private static final int SAMPLES = 60;
    private static final int TURNS = 3_000;

    private LaneLatency() {}

    /** Needs no arguments. */
    public static void main(String[] arguments) throws Exception {
        Process child = Child.start(SharedFolder.DEFAULT, String.valueOf(SAMPLES), String.valueOf(TURNS));
        try (Arena arena = Arena.ofShared();
                Transport transport = Child.open(0, SharedFolder.DEFAULT, arena)) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII));
            PrintStream out = new PrintStream(child.getOutputStream(), true, StandardCharsets.US_ASCII);
            System.out.println(Child.meet(transport, 0, in, out));
            Link link = transport.link(1, 0);
            System.out.println(link.description());
            for (int bytes : PingPong.SIZES) {
                double[] micros = PingPong.run(link, arena, bytes, SAMPLES, TURNS);
                System.out.printf("%d B: median %.3f us, least %.3f us%n", bytes, micros[SAMPLES / 2], micros[0]);
            }
        } finally {
            child.destroyForcibly();
        }
    }
}
