package dev.mininccl.transport.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mininccl.core.lane.CrossMemory;
import dev.mininccl.core.settings.Setting;
import dev.mininccl.core.settings.Settings;
import dev.mininccl.core.spi.Deadline;
import dev.mininccl.core.spi.Link;
import dev.mininccl.core.spi.Transport;
import dev.mininccl.core.spi.TransportContext;
import dev.mininccl.core.spi.TransportUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ShmTransportTest {

    private static final Settings SETTINGS = Settings.defaults();

    /** Any folder does: its files need not lie in memory. */
    @TempDir
    private Path folder;

    private Pair pair(Settings ofZero, Settings ofOne) throws TransportUnavailableException {
        ShmTransportProvider provider = new ShmTransportProvider(folder);
        return new Pair(provider, provider, 1, ofZero, ofOne);
    }

    @Test
    void filesArePrivateAndGoWhenSettled() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            assertThat(pair.attach()).isEqualTo(new Pair.Verdicts(null, null));
            List<Path> files = files();
            assertThat(files).hasSize(1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.getFirst())))
                    .isEqualTo("rw-------");
            pair.zero.settled();
            assertThat(files()).isEmpty();
            pair.one.settled();
        }
    }

    @Test
    void filesGoWhenClosedUnsettled() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            pair.attach();
            pair.one.close();
            pair.one.close();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void saysWhatWasProven() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            assertThat(pair.connect().description())
                    .isEqualTo(folder + ", 4 slots of 131072 B, single-copy reads (process_vm_readv) proven");
        }
    }

    @Test
    void crossMemoryCanBeOffOnOneSide() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS.with(Setting.CROSS_MEMORY, "off"))) {
            Link zero = pair.connect();
            Link one = pair.linkOfOne(0);
            assertThat(zero.send().referenceBytes()).isZero();
            assertThat(one.send().referenceBytes()).isEqualTo(CrossMemory.SLICE_BYTES);
            assertThat(zero.description()).endsWith("proven, but the peer cannot read here");
            assertThat(one.description()).endsWith("no single-copy reads: MINI_NCCL_CROSS_MEMORY=off");
        }
    }

    @Test
    void otherLanesAreRefusedOnBothSides() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS.with(Setting.SLOTS, "5"))) {
            Pair.Verdicts verdicts = pair.attach();
            assertThat(verdicts.ofZero()).contains("1 x 4 slots of 131072 B here, 1 x 5 slots of 131072 B there");
            assertThat(verdicts.ofOne()).startsWith("lanes differ");
        }
    }

    @Test
    void anotherFolderIsRefusedOnBothSides(@TempDir Path other) throws Exception {
        try (Pair pair =
                new Pair(new ShmTransportProvider(folder), new ShmTransportProvider(other), 1, SETTINGS, SETTINGS)) {
            Pair.Verdicts verdicts = pair.attach();
            assertThat(verdicts.ofZero()).contains("another /dev/shm");
            assertThat(verdicts.ofOne()).contains("another /dev/shm");
        }
    }

    @Test
    void malformedAddressIsRefused() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            byte[] damaged = pair.one.address();
            damaged[3]++;
            List<byte[]> addresses = List.of(pair.zero.address(), damaged);
            assertThat(Pair.attach(pair.zero, 1, addresses, Deadline.after(Duration.ofSeconds(5))))
                    .isEqualTo("another version of Mini-NCCL");
        }
    }

    @Test
    void absentPeerCostsTheDeadlineAndNoMore() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            List<byte[]> addresses = List.of(pair.zero.address(), pair.one.address());
            Deadline soon = Deadline.after(Duration.ofMillis(200));
            assertThat(Pair.attach(pair.zero, 1, addresses, soon)).startsWith("deadline passed: rank 1 has not mapped");
            assertThat(files()).isEmpty();
            Deadline later = Deadline.after(Duration.ofMillis(200));
            assertThat(Pair.attach(pair.one, 0, addresses, later)).startsWith("deadline passed: rank 0 has not made");
        }
    }

    @Test
    void abortEndsTheWait() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            pair.abort.raiseRelease();
            List<byte[]> addresses = List.of(pair.zero.address(), pair.one.address());
            Deadline far = Deadline.after(Duration.ofHours(1));
            assertThat(Pair.attach(pair.one, 0, addresses, far)).startsWith("aborted: ");
        }
    }

    /** A peer that cannot map the file takes its name away. */
    @Test
    void peerThatGivesUpIsNoticed() throws Exception {
        try (Pair pair = pair(SETTINGS, SETTINGS)) {
            List<byte[]> addresses = List.of(pair.zero.address(), pair.one.address());
            Thread peer = Thread.ofPlatform().start(() -> {
                while (files().isEmpty()) {
                    Thread.yield();
                }
                files().forEach(SharedFile::unlink);
            });
            assertThat(Pair.attach(pair.zero, 1, addresses, Deadline.after(Duration.ofHours(1))))
                    .startsWith("rank 1 could not map the shared file");
            peer.join();
        }
    }

    @Test
    void manyCyclesLeaveNothing() throws Exception {
        cycle();
        long descriptors = count("/proc/self/fd");
        for (int i = 0; i < 300; i++) {
            cycle();
        }
        assertThat(count("/proc/self/fd")).isLessThanOrEqualTo(descriptors + 3);
        assertThat(mappings()).isZero();
        assertThat(files()).isEmpty();
    }

    private void cycle() throws TransportUnavailableException {
        try (Pair pair = pair(SETTINGS.with(Setting.SLICE_SIZE, "4096"), SETTINGS.with(Setting.SLICE_SIZE, "4096"))) {
            pair.connect();
            pair.linkOfOne(0);
        }
    }

    private static long count(String path) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of(path))) {
            return entries.count();
        }
    }

    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(folder.toString())).count();
        }
    }

    private List<Path> files() {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void missingFolderIsAReason() {
        ShmTransportProvider provider = new ShmTransportProvider(folder.resolve("absent"));
        assertThatThrownBy(() -> open(provider))
                .isInstanceOf(TransportUnavailableException.class)
                .hasMessageContaining("absent cannot be used");
    }

    private static Transport open(ShmTransportProvider provider) throws TransportUnavailableException {
        return provider.open(new TransportContext(0, 2, 1, SETTINGS, null));
    }
}
