package dev.mininccl.core.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mininccl.bindings.posix.Sched;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class PinningTest {

    @TempDir
    private Path sysfs;

    private void node(int number, String processors) throws IOException {
        Path folder = Files.createDirectories(sysfs.resolve("devices/system/node/node" + number));
        Files.writeString(folder.resolve("cpulist"), processors + "\n");
        Files.writeString(folder.resolveSibling("online"), number == 0 ? "0\n" : "0-" + number + "\n");
    }

    private BitSet near(int node) {
        return new Pinning(sysfs, true).near(OptionalInt.of(node));
    }

    @Test
    void processorsOfANodeAreNear() throws IOException {
        node(0, "0-3,8");
        node(1, "4-7");
        node(2, "");
        assertThat(near(0)).hasToString("{0, 1, 2, 3, 8}");
        assertThat(near(1)).hasToString("{4, 5, 6, 7}");
        assertThat(near(2).isEmpty()).isTrue();
    }

    @Test
    void nothingIsNearWhereItDoesNotMatter() throws IOException {
        assertThat(near(0).isEmpty()).as("no sysfs").isTrue();
        node(0, "0-3");
        assertThat(near(0).isEmpty()).as("one node").isTrue();
        node(1, "4-7");
        assertThat(near(5).isEmpty()).as("no such node").isTrue();
        assertThat(new Pinning(sysfs, true).near(OptionalInt.empty()).isEmpty()).isTrue();
        assertThat(new Pinning(sysfs, false).near(OptionalInt.of(0)).isEmpty())
                .as("off")
                .isTrue();
    }

    @Test
    void processorsNearAPciDevice() throws IOException {
        node(0, "0-3");
        node(1, "4-7");
        Path folder = Files.createDirectories(sysfs.resolve("bus/pci/devices/0000:1b:00.0"));
        Files.writeString(folder.resolve("numa_node"), "1\n");
        Pinning pinning = new Pinning(sysfs, true);
        assertThat(pinning.near("0000:1b:00.0")).hasToString("{4, 5, 6, 7}");
        Files.writeString(folder.resolve("numa_node"), "-1\n");
        assertThat(pinning.near("0000:1b:00.0").isEmpty())
                .as("in a virtual machine")
                .isTrue();
        assertThat(pinning.near("0000:00:00.0").isEmpty()).as("no such device").isTrue();
    }

    /** On a thread of its own, with a node that has the last of the processors that this process may use. */
    @Test
    void threadStaysOnTheNode() throws IOException {
        BitSet allowed = Sched.affinity();
        int last = allowed.length() - 1;
        node(0, Integer.toString(last + 1));
        node(1, last + "-" + (last + 4));
        BitSet pinned = CompletableFuture.supplyAsync(
                        () -> {
                            Pinning.pin(near(1));
                            Pinning.pin(near(0));
                            return Sched.affinity();
                        },
                        task -> Thread.ofPlatform().start(task))
                .join();
        assertThat(pinned.cardinality()).isEqualTo(1);
        assertThat(pinned.get(last)).isTrue();
        assertThat(Sched.affinity()).isEqualTo(allowed);
    }
}
