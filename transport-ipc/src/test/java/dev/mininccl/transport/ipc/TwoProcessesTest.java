package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.NativeMemory;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.ReceiveLane;
import dev.mininccl.core.spi.Transport;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TwoProcessesTest {

    @TempDir
    private Path folder;

    private final Arena arena = Arena.ofShared();
    private Process child;

    @AfterEach
    void end() throws Exception {
        child.destroyForcibly().waitFor();
        arena.close();
    }

    private String meet(Transport transport, String... childs) throws Exception {
        child = Child.start(folder, childs);
        BufferedReader in =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(child.getOutputStream(), true, StandardCharsets.US_ASCII);
        String reason = Child.meet(transport, 0, in, out);
        assertThat(in.readLine()).isEqualTo("null");
        return reason;
    }

    @Test
    void exchangeSlicesOfAllSizes() throws Exception {
        try (Transport transport = Child.open(0, folder, arena)) {
            assertThat(meet(transport, "2", "500")).isNull();
            Link link = transport.link(1, 0);
            transport.settled();
            assertThat(folder).isEmptyDirectory();
            for (int bytes : PingPong.SIZES) {
                assertThat(PingPong.run(link, arena, bytes, 2, 500)).hasSize(2);
            }
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).isZero();
        }
    }

    @Test
    void killedAfterSettledLeavesNothing() throws Exception {
        try (Transport transport = Child.open(0, folder, arena)) {
            assertThat(meet(transport, "hang")).isNull();
            transport.settled();
            child.destroyForcibly().waitFor();
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void memoryOfAKilledPeerCannotBeRead() throws Exception {
        try (Transport transport = Child.open(0, folder, arena)) {
            assertThat(meet(transport, "reference")).isNull();
            ReceiveLane receive = transport.link(1, 0).receive();
            receive.expect(0, 8, 1);
            long address = receive.poll();
            while (address == ReceiveLane.NOTHING) {
                Thread.yield();
                address = receive.poll();
            }
            assertThat(NativeMemory.getLong(address)).isEqualTo(Child.PROOF);
            child.destroyForcibly().waitFor();
            assertThat(receive.poll()).isEqualTo(ReceiveLane.FAILED);
            assertThat(receive.failure())
                    .startsWith("reading the memory of rank 1 (process " + child.pid() + ")")
                    .contains("ESRCH");
        }
    }

    @Test
    void filesOfAKilledMakerGoAtTheNextStart() throws Exception {
        child = Child.start(folder, "maker");
        assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(folder).isNotEmptyDirectory();
        Child.open(0, folder, arena).close();
        assertThat(folder).isEmptyDirectory();
    }
}
